package dev.couchjobs.internal.sweep;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.ClockSkew;
import dev.couchjobs.internal.instance.AgreedClock;
import dev.couchjobs.internal.instance.Instance;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether this process may remove jobs by its clock. It compares its clock with the samples of other processes
 * and stores its own, at most once in half a minute, in a transaction of a sweep or an archiver. If most other
 * processes agree on another time, it corrects the {@link AgreedClock} of the instance.
 */
final class ClockCheck {
    private static final Logger LOG = LoggerFactory.getLogger(ClockCheck.class);
    private static final Duration CURRENT_FOR = Duration.ofSeconds(30);
    private static final Duration ANY_SKEW = Duration.ofDays(36_500);

    private final Instance instance;
    private final Duration bound;

    @GuardedBy("this") private @Nullable ClockSkew last;

    @GuardedBy("this") private Instant lastAt = Instant.MIN;

    ClockCheck(Instance instance, Duration bound) {
        this.instance = instance;
        this.bound = bound;
    }

    CompletableFuture<ClockSkew> measure(ReadTransactionContext context) {
        return instance.transactions()
                .named("measure clock skew", "")
                .read(
                        context,
                        tx -> ClockSamples.read(tx, instance.keyspace())
                                .thenApply(samples -> samples.skew(instance.name(), now(), bound)));
    }

    /**
     * {@return whether jobs may be removed whose retention is over at a time} A clock that was set since the last check
     * is checked again.
     *
     * @param now the time by which jobs are removed; a second reading of the clock may differ if the clock was set
     */
    CompletableFuture<Boolean> mayRemove(Transaction tx, Instant now) {
        if (bound.compareTo(ANY_SKEW) >= 0) {
            return CompletableFuture.completedFuture(true);
        }
        synchronized (this) {
            if (last != null && Duration.between(lastAt, now).abs().compareTo(CURRENT_FOR) < 0) {
                return CompletableFuture.completedFuture(!last.isExceeded());
            }
        }
        return ClockSamples.read(tx, instance.keyspace()).thenApply(samples -> {
            ClockSkew skew = samples.skew(instance.name(), now.toEpochMilli(), bound);
            samples.write(tx, instance.environment().random(), instance.name(), now.toEpochMilli());
            record(skew, now);
            instance.clock().correct(now, samples.outvotedBy(instance.name(), now.toEpochMilli(), bound));
            return !skew.isExceeded();
        });
    }

    private long now() {
        return instance.environment().clock().millis();
    }

    private synchronized void record(ClockSkew skew, Instant at) {
        boolean wasExceeded = last != null && last.isExceeded();
        last = skew;
        lastAt = at;
        if (skew.isExceeded() && !wasExceeded) {
            LOG.warn(
                    "The clock of {} is {}: this process removes and archives no jobs until the clocks agree. Set the"
                            + " clock that is wrong.",
                    instance.name(),
                    SkewText.of(skew));
        } else if (wasExceeded && !skew.isExceeded()) {
            LOG.info("The clock of {} agrees with others again: jobs are removed and archived", instance.name());
        }
    }
}
