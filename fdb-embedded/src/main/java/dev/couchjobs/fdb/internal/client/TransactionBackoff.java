package dev.couchjobs.fdb.internal.client;

import dev.couchjobs.fdb.internal.common.FdbError;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Which errors a transaction retries, and how long it waits before it does. Guarded by its transaction. */
final class TransactionBackoff {
    /** The transaction that conflicted has committed within that time; the tenth of what a client allows a cluster. */
    private static final double FIRST_MILLIS = 1;

    private static final double GROWTH = 2;
    /** An old or a future read version is cured by a new one, not by waiting. */
    private static final double FIXED_MILLIS = 10;

    /**
     * A transaction that loses to others must not wait much longer than they do, or it loses to them again and again:
     * they commit hundreds of times while it waits. So the wait grows up to this, and beyond it only with the number of
     * those that wait as well, to keep all of them together from trying all the time.
     */
    private static final double MAX_CONFLICT_MILLIS = 8;

    private static final double MILLIS_PER_CONTENDER = 0.1;

    private double millis = FIRST_MILLIS;
    private int retries;

    /** Counts the retry; false once there have been as many as {@code limit} allows. */
    boolean mayRetry(int limit) {
        boolean allowed = limit == TransactionSettings.UNLIMITED_RETRIES || retries < limit;
        if (retries < Integer.MAX_VALUE) {
            retries++;
        }
        return allowed;
    }

    static boolean retries(@Nullable FdbError error) {
        // Another client version takes over after 1039, which does not happen here.
        return error != null && error.retry() != FdbError.Retry.NEVER && error != FdbError.CLUSTER_VERSION_CHANGED;
    }

    /**
     * How long to wait before the next try.
     *
     * @param contenders how many transactions wait after a conflict just now
     * @param jitter uniform between 0 and 1
     */
    long nextDelayNanos(FdbError error, int maxMillis, int contenders, double jitter) {
        if (error == FdbError.TRANSACTION_TOO_OLD || error == FdbError.FUTURE_VERSION) {
            return nanos(Math.min(FIXED_MILLIS, maxMillis));
        }
        double most = error == FdbError.NOT_COMMITTED
                ? Math.min(Math.max(MAX_CONFLICT_MILLIS, MILLIS_PER_CONTENDER * contenders), maxMillis)
                : maxMillis;
        double delay = Math.min(millis, most) * jitter;
        millis = Math.min(millis * GROWTH, Math.max(maxMillis, 0));
        return nanos(delay);
    }

    private static long nanos(double millis) {
        return (long) (millis * TimeUnit.MILLISECONDS.toNanos(1));
    }
}
