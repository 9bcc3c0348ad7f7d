package dev.couchjobs.server.internal.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.Semaphore;

/**
 * Half of the heap, for the requests of a server and their replies, from the first byte that arrives to the last that a
 * client takes, and for the jobs that workers claim until the reply begins. Small ones have a part of their own, so
 * that they are served while large ones hold the rest. A further eighth is for clients that wait: for jobs, results,
 * changes and messages.
 */
public final class Memory {
    /** What a byte of a body costs: as it arrives, as JSON, as a payload, in a transaction and in the log. */
    static final int COST_OF_A_BODY = 8;

    private static final int SMALL = 64 * 1024;
    private static final long KILOBYTE = 1_024;
    /** What a client costs that waits: its connection, its request and what it waits with. */
    private static final int KILOBYTES_OF_A_WAIT = 32;

    private static final int KILOBYTES_OF_A_THING = 4;
    private static final long HEAP = Runtime.getRuntime().maxMemory() / KILOBYTE;

    /** In kilobytes. */
    private final Semaphore forSmall = new Semaphore(kilobytes(HEAP / 16));

    private final Semaphore forLarge = new Semaphore(kilobytes(HEAP / 2 - HEAP / 16));

    private final Semaphore forWaiting;

    /** Makes room in the heap of this process. */
    public Memory() {
        this(HEAP / 8);
    }

    /** @param waiting kilobytes for clients that wait */
    Memory(long waiting) {
        forWaiting = new Semaphore(kilobytes(waiting));
    }

    private static int kilobytes(long count) {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(1, count));
    }

    Share share() {
        return new Share();
    }

    /**
     * Takes what a client needs that waits.
     *
     * @param things how many types, results or feeds it waits for; none if it does not wait
     * @return how many kilobytes it holds, to be given back; -1 if there is no room
     */
    int await(int things) {
        int wanted = things == 0 ? 0 : KILOBYTES_OF_A_WAIT + things * KILOBYTES_OF_A_THING;
        return forWaiting.tryAcquire(wanted) ? wanted : -1;
    }

    /** @param kilobytes what {@link #await} has returned */
    void endWait(int kilobytes) {
        forWaiting.release(kilobytes);
    }

    /** What one request and its reply hold. Safe for use by several threads. */
    final class Share {
        @GuardedBy("this") private int small;

        @GuardedBy("this") private int large;

        @GuardedBy("this") private long bytes;

        /** {@return whether there was room for more bytes; otherwise the share stays as it is} */
        synchronized boolean grow(long more) {
            if (more == 0) {
                return true;
            }
            long wanted = bytes + more;
            int kilobytes = kilobytes(wanted / KILOBYTE);
            boolean isLarge = wanted > SMALL;
            if (!(isLarge ? forLarge.tryAcquire(kilobytes - large) : forSmall.tryAcquire(kilobytes - small))) {
                return false;
            }
            if (isLarge) {
                forSmall.release(small);
                small = 0;
                large = kilobytes;
            } else {
                small = kilobytes;
            }
            bytes = wanted;
            return true;
        }

        synchronized void release() {
            forSmall.release(small);
            forLarge.release(large);
            small = 0;
            large = 0;
            bytes = 0;
        }
    }
}
