package dev.couchjobs.internal.worker;

/**
 * How much data the jobs have that a worker holds: those that run and those that wait for a slot. A worker whose jobs
 * have more than an eighth of the heap claims no others, whatever slots are free. Data is held as stored, and as what
 * the handler has made of it, which may take several times as much.
 *
 * <p>Not thread-safe: the lock of the worker guards it.
 */
final class HeldBytes {
    private static final int SHARE_OF_HEAP = 8;

    private final long max;
    private long held;

    HeldBytes(long max) {
        this.max = max;
    }

    static HeldBytes ofHeap() {
        return new HeldBytes(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
    }

    void claimed(int bytes) {
        held += bytes;
    }

    void ended(int bytes) {
        held -= bytes;
    }

    boolean isEmpty() {
        return held == 0;
    }

    /**
     * {@return how many jobs of an expected size fit, at least one if none is held}
     *
     * @param reserved how many jobs the current claims may bring
     */
    int room(int reserved, double bytesOfJob) {
        if (isEmpty() && reserved == 0) {
            return Math.max(1, fitting((double) max, bytesOfJob));
        }
        return Math.max(0, fitting(max - held - reserved * bytesOfJob, bytesOfJob));
    }

    private static int fitting(double bytes, double bytesOfJob) {
        return (int) Math.min(Integer.MAX_VALUE, bytes / Math.max(1, bytesOfJob));
    }
}
