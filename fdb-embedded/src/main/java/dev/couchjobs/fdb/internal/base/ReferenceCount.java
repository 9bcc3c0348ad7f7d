package dev.couchjobs.fdb.internal.base;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts who uses a native object, so that it is freed behind the last of them. A lock would do but for a thread that
 * uses it twice, say for two cursors: the second time must not queue behind the one who frees.
 */
final class ReferenceCount {
    private static final long CLOSED = Long.MIN_VALUE;

    /** How many threads are inside; with the sign bit set, no other gets in. */
    private final AtomicLong inside = new AtomicLong();

    private final Runnable freed;

    /** Calls {@code freed} once, when this is closed and the last thread has left. */
    ReferenceCount(Runnable freed) {
        this.freed = freed;
    }

    /** Returns false, without entering, once it is closed. */
    boolean enter() {
        long before = inside.get();
        while (before >= 0) {
            if (inside.compareAndSet(before, before + 1)) {
                return true;
            }
            before = inside.get();
        }
        return false;
    }

    void leave() {
        if (inside.decrementAndGet() == CLOSED) {
            freed.run();
        }
    }

    /** Lets no thread in from now on. To be called once. */
    void close() {
        if (inside.getAndUpdate(count -> count | CLOSED) == 0) {
            freed.run();
        }
    }
}
