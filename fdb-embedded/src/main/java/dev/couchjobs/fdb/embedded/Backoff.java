package dev.couchjobs.fdb.embedded;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Which errors a transaction retries, and how long it waits before it does. Guarded by its transaction. */
final class Backoff {
    /** Whoever was in the way has committed within that time; the tenth of what a client allows a cluster. */
    private static final double FIRST_MILLIS = 1;

    private static final double GROWTH = 2;
    /** An old or a future read version is cured by a new one, not by waiting. */
    private static final double FIXED_MILLIS = 10;

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

    /** How long to wait before the next try. {@code jitter} is uniform between 0 and 1. */
    long nextDelayNanos(FdbError error, int maxMillis, double jitter) {
        if (error == FdbError.TRANSACTION_TOO_OLD || error == FdbError.FUTURE_VERSION) {
            return nanos(Math.min(FIXED_MILLIS, maxMillis));
        }
        double delay = Math.min(millis, maxMillis) * jitter;
        millis = Math.min(millis * GROWTH, Math.max(maxMillis, 0));
        return nanos(delay);
    }

    private static long nanos(double millis) {
        return (long) (millis * TimeUnit.MILLISECONDS.toNanos(1));
    }
}
