package dev.couchjobs.internal.notify;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * Limits the number of watches on single jobs that an instance holds. FoundationDB gives a client 10,000 watches, and
 * other parts of the application and of the library need some of them.
 */
final class WatchBudget {
    private static final int WATCHES_MAX = 500;

    @GuardedBy("this") private int reserved;

    /**
     * Reserves watches.
     *
     * @param change how many to reserve more; a negative number frees watches
     * @return whether they were reserved; false if the limit would be exceeded
     */
    synchronized boolean tryReserve(int change) {
        if (change > 0 && reserved + change > WATCHES_MAX) {
            return false;
        }
        reserved += change;
        return true;
    }
}
