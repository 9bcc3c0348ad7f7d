package dev.couchjobs.fdb.internal.base;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts who is inside a native object, so that it is freed behind the last of them. A lock would do but for a thread that
 * holds one cursor and opens another: it must not queue behind the one that closes.
 */
final class Occupancy {
    private static final long CLOSED = Long.MIN_VALUE;

    /** How many are inside; with the sign bit set, nobody else gets in. */
    private final AtomicLong inside = new AtomicLong();

    private final CountDownLatch empty = new CountDownLatch(1);

    void enter() {
        if (inside.incrementAndGet() < 0) {
            leave();
            throw new IllegalStateException("The database is closed");
        }
    }

    void leave() {
        if (inside.decrementAndGet() == CLOSED) {
            empty.countDown();
        }
    }

    /** Lets nobody in from now on and waits for the last to leave. Returns true to the first who calls it. */
    boolean close() {
        long before = inside.getAndUpdate(count -> count | CLOSED);
        if (before == 0) {
            empty.countDown();
        }
        awaitEmpty();
        return before >= 0;
    }

    private void awaitEmpty() {
        boolean interrupted = false;
        while (true) {
            try {
                empty.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
