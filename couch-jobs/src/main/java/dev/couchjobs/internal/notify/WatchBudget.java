package dev.couchjobs.internal.notify;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * How many watches on single jobs an instance may hold. FoundationDB gives a client 10,000 watches, and other parts of
 * the application and of the library need some as well.
 */
final class WatchBudget {
    private static final int WATCHES_MAX = 500;

    @GuardedBy("this") private int taken;

    /** Takes some more, or none and returns false if there are not as many left; a negative number gives some back. */
    synchronized boolean take(int more) {
        if (more > 0 && taken + more > WATCHES_MAX) {
            return false;
        }
        taken += more;
        return true;
    }
}
