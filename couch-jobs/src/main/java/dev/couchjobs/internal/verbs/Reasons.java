package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.JobReason;
import dev.couchjobs.JobReason.Kind;
import dev.couchjobs.internal.job.JobKeys;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.Standing;
import dev.couchjobs.internal.limits.ClaimGates;
import dev.couchjobs.internal.rows.JobRef;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What keeps one job from running: where it stands, and then the gates of the claims. */
final class Reasons {
    private final ReadTransaction tx;
    private final JobRef ref;
    private final JobRow row;
    private final Instant now;

    Reasons(ReadTransaction tx, JobRef ref, JobRow row, Instant now) {
        this.tx = tx;
        this.ref = ref;
        this.row = row;
        this.now = now;
    }

    /** {@return the first reason} */
    CompletableFuture<JobReason> first() {
        return Standing.of(row)
                .match(
                        blocked -> done(ofBlocked(blocked)),
                        later -> later.time() > now.getEpochSecond() ? done(ofLater(later)) : ofDue(),
                        due -> ofDue(),
                        running -> done(ofRunning()),
                        ended -> done(new JobReason(
                                Kind.ENDED,
                                "It has ended: " + ended.outcome().name().toLowerCase(Locale.ROOT) + ".")));
    }

    private static CompletableFuture<JobReason> done(JobReason reason) {
        return CompletableFuture.completedFuture(reason);
    }

    private JobReason ofBlocked(Standing.Blocked blocked) {
        JobKeys keys = row.options().keys();
        if (blocked.byDependencies()) {
            return new JobReason(Kind.DEPENDENCIES, "It waits for jobs that it depends on.");
        }
        return blocked.bySequence()
                ? new JobReason(
                        Kind.SEQUENCE,
                        "It waits for the jobs before it in the sequence "
                                + Objects.requireNonNull(keys.sequence()).name() + ".")
                : new JobReason(
                        Kind.BATCH,
                        "It waits for the other jobs of the batch "
                                + Objects.requireNonNull(keys.batch()).batch() + ", which it closes.");
    }

    private static JobReason ofLater(Standing.Later later) {
        Instant time = Instant.ofEpochSecond(later.time());
        return later.isRetry()
                ? new JobReason(
                        Kind.RETRY,
                        "Its last attempt has failed, and the next one begins at " + time + " or later.",
                        Optional.of(time))
                : new JobReason(Kind.SCHEDULED, "Its time is " + time + ".", Optional.of(time));
    }

    private JobReason ofRunning() {
        String by = row.claimInfo().by();
        return new JobReason(Kind.RUNNING, "It runs" + (by.isEmpty() ? "" : ", on " + by) + ".");
    }

    private CompletableFuture<JobReason> ofDue() {
        return row.options().isLate(now.toEpochMilli())
                ? done(new JobReason(
                        Kind.DEADLINE, "It has not begun by its deadline, and ends as expired when a claim finds it."))
                : ClaimGates.closed(tx, ref, row, now)
                        .thenApply(gate -> gate.orElseGet(() -> new JobReason(
                                Kind.WORKER, "It waits for a worker with a free slot, and for jobs that come first.")));
    }
}
