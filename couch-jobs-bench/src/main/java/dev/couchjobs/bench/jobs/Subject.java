package dev.couchjobs.bench.jobs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A job system that is measured, and the numbers that its jobs have got so far.
 *
 * @param window how long each figure is measured, after three times as long to warm up
 */
record Subject(JobSystem system, Duration window, Gauges gauges, AtomicInteger numbers) {
    private static final int WARM_UP_WINDOWS = 3;
    private static final int LOADERS = 4;
    private static final int LOADED_AT_ONCE = 500;

    Subject(JobSystem system, Duration window, Gauges gauges) {
        this(system, window, gauges, new AtomicInteger());
    }

    /** Until the compiler is through with what is measured: with two processors that takes it a dozen seconds. */
    Duration warmUp() {
        return window.multipliedBy(WARM_UP_WINDOWS);
    }

    Traffic traffic() {
        return gauges.traffic().get();
    }

    Duration processorTime() {
        return gauges.processorTime().get();
    }

    /** The first of so many numbers that no job has had. */
    int next(int count) {
        return numbers.getAndAdd(count);
    }

    /** Adds jobs as fast as it goes, and returns the number of the first. */
    int load(int count) throws InterruptedException {
        int first = next(count);
        AtomicInteger loaded = new AtomicInteger(first);
        try (JobSystem.Instance instance = system.join()) {
            inThreads(LOADERS, () -> {
                int from;
                while ((from = loaded.getAndAdd(LOADED_AT_ONCE)) < first + count) {
                    instance.addAll(from, Math.min(LOADED_AT_ONCE, first + count - from));
                }
            });
        }
        return first;
    }

    /** Runs the same in several threads and returns when all have. */
    static void inThreads(int threads, Runnable work) throws InterruptedException {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                running.add(executor.submit(work));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } finally {
            executor.shutdownNow();
        }
    }
}
