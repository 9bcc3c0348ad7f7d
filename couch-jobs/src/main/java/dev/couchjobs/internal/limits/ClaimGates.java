package dev.couchjobs.internal.limits;

import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.JobReason;
import dev.couchjobs.JobReason.Kind;
import dev.couchjobs.Rate;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TypeKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What keeps a due job from being claimed: the rules of its limit key, and what claims are allowed of its type. */
public final class ClaimGates {
    private static final CompletableFuture<Optional<JobReason>> OPEN =
            CompletableFuture.completedFuture(Optional.empty());

    private final ReadTransaction tx;
    private final TypeKeys keys;
    private final JobRef ref;
    private final JobRow job;
    private final Instant now;

    private ClaimGates(ReadTransaction tx, JobRef ref, JobRow job, Instant now) {
        this.tx = tx.snapshot();
        this.keys = ref.keys();
        this.ref = ref;
        this.job = job;
        this.now = now;
    }

    /** {@return the first gate that is closed to a due job; empty if a claim may take it} */
    public static CompletableFuture<Optional<JobReason>> closed(
            ReadTransaction tx, JobRef ref, JobRow job, Instant now) {
        return new ClaimGates(tx, ref, job, now).closed();
    }

    private CompletableFuture<Optional<JobReason>> closed() {
        return Allowance.ofAll(tx, keys).thenCompose(allowance -> {
            CompletableFuture<Optional<JobReason>> ofType = CompletableFuture.completedFuture(allowance.reason(now));
            return allowance.isPaused() ? ofType : firstOf(ofKey(), () -> ofType);
        });
    }

    private static CompletableFuture<Optional<JobReason>> firstOf(
            CompletableFuture<Optional<JobReason>> gate, Supplier<CompletableFuture<Optional<JobReason>>> others) {
        return gate.thenCompose(closed -> closed.isPresent() ? gate : others.get());
    }

    private static CompletableFuture<Optional<JobReason>> closed(Kind kind, String text) {
        return CompletableFuture.completedFuture(Optional.of(new JobReason(kind, text)));
    }

    private Optional<JobReason> closedFor(Duration time, Kind kind, String text) {
        return Optional.of(new JobReason(kind, text, Optional.of(now.plus(time))));
    }

    /** A job that has a slot waits for none. */
    private CompletableFuture<Optional<JobReason>> ofKey() {
        String key = job.options().limitKey();
        if (key == null) {
            return OPEN;
        }
        CompletableFuture<KeyLimit> limit = SlotTable.limit(tx, keys, key);
        CompletableFuture<KeySlots> slots = SlotTable.slots(tx, keys, key);
        return limit.thenCompose(of -> {
            if (of.isPaused()) {
                return closed(Kind.KEY_PAUSED, "Its limit key " + key + " is paused.");
            }
            return firstOf(
                    ofKeyRate(key, of.rate()),
                    () -> slots.thenCombine(
                            SlotTable.isQueued(tx, LimitedJob.of(ref, job)),
                            (now, hasSlot) -> hasSlot || now.taken() < of.slots()
                                    ? Optional.empty()
                                    : Optional.of(new JobReason(
                                            Kind.KEY_LIMIT,
                                            "As many jobs with its limit key " + key + " run as may: " + of.slots()
                                                    + "."))));
        });
    }

    private CompletableFuture<Optional<JobReason>> ofKeyRate(String key, @Nullable Rate rate) {
        return rate == null
                ? OPEN
                : RateMeter.readOfKey(tx, keys, key, rate)
                        .thenApply(meter -> meter.available() > 0
                                ? Optional.empty()
                                : closedFor(
                                        meter.untilNext(),
                                        Kind.KEY_RATE,
                                        "As many jobs with its limit key " + key
                                                + " have started as may by its rate."));
    }
}
