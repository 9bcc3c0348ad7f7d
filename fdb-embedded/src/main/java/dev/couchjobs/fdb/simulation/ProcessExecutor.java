package dev.couchjobs.fdb.simulation;

/** The tasks of one process: none run while it is paused, and none after its death. */
final class ProcessExecutor extends VirtualExecutor {
    private final VirtualScheduler time;
    private long opensAtNanos;

    ProcessExecutor(VirtualScheduler time) {
        this.time = time;
    }

    @Override
    VirtualScheduler time() {
        return time;
    }

    @Override
    long opensAtNanos() {
        return opensAtNanos;
    }

    boolean isOpen() {
        return opensAtNanos <= time.nanoTime();
    }

    void pauseFor(long nanos) {
        opensAtNanos = Math.max(opensAtNanos, time.nanoTime() + nanos);
    }

    /** Drops whatever waits, and whatever comes. */
    void die() {
        opensAtNanos = NEVER;
        time.waiting(this).forEach(time::forget);
    }
}
