package dev.couchjobs.internal.history;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobAttempt;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.job.ClaimEnd;
import dev.couchjobs.internal.job.ClaimInfo;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Quarantine;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a job: the process, the time, and the end of each.
 *
 * <p>The last attempt is part of the job's own row. It moves to a row of its own when the next attempt begins, or when
 * the job is cancelled while it is pending. A job that succeeds at its first attempt, as most jobs do, therefore needs
 * no further key. The last {@value #KEPT} attempts are kept.
 */
public final class AttemptLog {
    static final int KEPT = 100;

    private AttemptLog() {}

    private static Subspace rows(JobRef ref) {
        return ref.keys().table("attempts").get(ref.id());
    }

    /** Moves last attempts to rows of their own if the next rows do not contain them; removes all with a job. */
    public static void write(Changes changes) {
        for (SavedChange change : changes.all()) {
            replace(changes.tx(), change.ref(), change.indexed(), change.after());
        }
    }

    /** Removes the attempts of a job whose row cannot be decoded. */
    public static void clear(Transaction tx, JobRef ref) {
        tx.clear(rows(ref).range());
    }

    private static void replace(Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
        long last = before == null ? 0 : before.claimInfo().number();
        if (before == null || last == 0) {
            return;
        }
        if (after == null) {
            if (last > 1 || !before.claimInfo().started()) {
                tx.clear(rows(ref).range());
            }
        } else if (before.claimInfo().started() && (after.claimInfo().number() > last || isCancelled(before, after))) {
            tx.set(rows(ref).pack(last), encode(before).pack());
            if (last > KEPT) {
                tx.clear(rows(ref).pack(last - KEPT));
            }
        }
    }

    /** Whether the row after has the reason of the cancellation in place of the end of the last attempt. */
    private static boolean isCancelled(JobRow before, JobRow after) {
        return before.state() == JobState.PENDING
                && after.state() == JobState.FINISHED
                && !after.claimInfo().started();
    }

    /** {@return all attempts that are kept, oldest first} */
    public static CompletableFuture<List<JobAttempt>> read(ReadTransaction tx, JobRef ref, JobRow row) {
        if (row.claimInfo().number() == 0) {
            return CompletableFuture.completedFuture(List.of());
        }
        return tx.getRange(rows(ref).range()).asList().thenApply(rows -> {
            List<JobAttempt> attempts = new ArrayList<>(rows.size() + 1);
            attempts.addAll(Quarantine.readable(tx, ref.keys(), rows, past -> decode(ref, past)));
            inRow(row).ifPresent(attempts::add);
            return attempts;
        });
    }

    private static JobAttempt decode(JobRef ref, KeyValue past) {
        long number = rows(ref).unpack(past.getKey()).getLong(0);
        return decode(number, Tuple.fromBytes(past.getValue()));
    }

    /** {@return the current attempt, or else the last one} */
    public static CompletableFuture<Optional<JobAttempt>> last(ReadTransaction tx, JobRef ref, JobRow row) {
        Optional<JobAttempt> inRow = inRow(row);
        if (inRow.isPresent() || row.claimInfo().number() == 0) {
            return CompletableFuture.completedFuture(inRow);
        }
        return tx.getRange(rows(ref).range(), 1, true)
                .asList()
                .thenApply(rows -> Quarantine.readable(tx, ref.keys(), rows, past -> decode(ref, past)).stream()
                        .findFirst());
    }

    /** {@return the attempt of the last claim} A claim that ended before the work began is no attempt. */
    private static Optional<JobAttempt> inRow(JobRow row) {
        ClaimInfo claimInfo = row.claimInfo();
        return claimInfo.number() > 0 && (claimInfo.started() || row.state() == JobState.RUNNING)
                ? Optional.of(decode(claimInfo.number(), encode(row)))
                : Optional.empty();
    }

    private static Tuple encode(JobRow row) {
        Tuple attempt = Tuple.from(row.claimInfo().by(), row.claimInfo().since());
        ClaimEnd claimEnd = row.claimEnd();
        if (claimEnd == null || row.state() == JobState.RUNNING) {
            return attempt;
        }
        return attempt.add(ClaimEnd.text(claimEnd.how())).add(claimEnd.at()).addObject(claimEnd.error());
    }

    private static JobAttempt decode(long number, Tuple attempt) {
        boolean ended = attempt.size() > 2;
        return new JobAttempt(
                number,
                attempt.getString(0),
                Instant.ofEpochMilli(attempt.getLong(1)),
                ended ? Optional.of(Instant.ofEpochMilli(attempt.getLong(3))) : Optional.empty(),
                ended ? Optional.of(ClaimEnd.how(attempt.getString(2))) : Optional.empty(),
                ended ? Optional.ofNullable(attempt.getString(4)) : Optional.empty());
    }
}
