package dev.couchjobs.fdb.embedded;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * All that the engine takes from the world outside: threads, timers, the time and randomness. It has no other source of
 * any of them, so an environment in which these are simulated makes the engine repeatable. One single-threaded
 * scheduler may serve as both executor and scheduler.
 *
 * <p>The maker of an environment shuts it down; the engine does so only for one that it made itself.
 *
 * @param executor runs commits and, unless a transaction names another, the continuations of what the engine completes
 * @param scheduler waits for back-off delays and timeouts
 * @param nanoTime a clock in nanoseconds that never goes back, with any origin
 * @param random jitter for back-off; used by one thread at a time
 * @param heapBytes how large the heap is that the engine's limits go by: it holds commits back before what the last
 *     five seconds have changed takes more than a quarter of it, and a database in memory holds rows of half of it
 */
public record EngineEnvironment(
        Executor executor,
        ScheduledExecutorService scheduler,
        LongSupplier nanoTime,
        RandomGenerator random,
        long heapBytes) {
    private static final long DEFAULT_HEAP_BYTES = 1L << 30;

    /**
     * An environment whose heap is taken for a gigabyte, however large it is, so that the same happens on every
     * machine.
     *
     * @param executor runs commits and, unless a transaction names another, the continuations of what the engine
     *     completes
     * @param scheduler waits for back-off delays and timeouts
     * @param nanoTime a clock in nanoseconds that never goes back, with any origin
     * @param random jitter for back-off; used by one thread at a time
     */
    public EngineEnvironment(
            Executor executor, ScheduledExecutorService scheduler, LongSupplier nanoTime, RandomGenerator random) {
        this(executor, scheduler, nanoTime, random, DEFAULT_HEAP_BYTES);
    }

    /**
     * The real thing: daemon threads that start when needed and end when idle, the system's clock, and the heap of this
     * process as far as it may grow.
     *
     * @return an environment with threads of its own
     */
    public static EngineEnvironment system() {
        return new EngineThreads().environment();
    }
}
