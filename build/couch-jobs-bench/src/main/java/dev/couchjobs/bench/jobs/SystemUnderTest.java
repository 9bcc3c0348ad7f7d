package dev.couchjobs.bench.jobs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A system to measure, with a database of its own, and the tally of its jobs. */
final class SystemUnderTest implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int LOADERS = 4;
    private static final int LOADED_AT_ONCE = 500;
    private static final int BYTES_AT_ONCE = 500_000;
    private static final int ASKED_AT_ONCE = 1_000;

    private final JobSystem system;
    private final Load load;
    private final CpuMeter cpuMeter;
    private final JobTally tally = new JobTally();
    private boolean isSettled;

    SystemUnderTest(JobSystem system, Load load, CpuMeter cpuMeter) {
        this.system = system;
        this.load = load;
        this.cpuMeter = cpuMeter;
    }

    JobSystem system() {
        return system;
    }

    Load load() {
        return load;
    }

    JobTally tally() {
        return tally;
    }

    CpuMeter cpuMeter() {
        return cpuMeter;
    }

    /** The number of jobs that were added and have not begun. */
    int pending() {
        return tally.added() - tally.begun();
    }

    /** Adds jobs as fast as possible until {@code target} jobs are pending. */
    void fill(int target) throws InterruptedException {
        int missing = target - pending();
        if (missing > 0) {
            int atOnce = Math.max(1, Math.min(LOADED_AT_ONCE, BYTES_AT_ONCE / load.payloadBytes()));
            AtomicInteger remaining = new AtomicInteger(missing);
            try (JobSystem.Instance instance = system.join()) {
                inThreads(LOADERS, () -> {
                    int count;
                    while ((count = Math.min(atOnce, remaining.getAndAdd(-atOnce))) > 0) {
                        instance.addAll(tally.next(count), count);
                    }
                });
            }
            if (!isSettled) {
                system.settle();
                isSettled = true;
            }
        }
    }

    /** Waits for the first job of a round to begin. */
    void awaitFirst(int begunBefore) throws InterruptedException {
        if (!tally.await(begunBefore + 1, PATIENCE.toNanos())) {
            throw new IllegalStateException("No job has begun within " + PATIENCE);
        }
    }

    /** Waits until jobs that have begun have ended durably. */
    void awaitEnd(List<Integer> numbers) throws InterruptedException {
        long begin = System.nanoTime();
        for (int from = 0; from < numbers.size(); from += ASKED_AT_ONCE) {
            List<Integer> asked = numbers.subList(from, Math.min(numbers.size(), from + ASKED_AT_ONCE));
            while (!system.areFinished(asked)) {
                if (System.nanoTime() - begin > PATIENCE.toNanos()) {
                    throw new IllegalStateException("Jobs that have begun have not ended within " + PATIENCE);
                }
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }
    }

    /** The difference between the jobs that have not run and those that the system reports as unfinished. */
    long lost() {
        return Math.abs(pending() - system.unfinished());
    }

    @Override
    public void close() {
        system.close();
    }

    /** Runs {@code work} in several threads, and returns when all have ended. */
    static void inThreads(int threads, Runnable work) throws InterruptedException {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                running.add(executor.submit(work));
            }
            for (Future<?> future : running) {
                future.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } finally {
            executor.shutdownNow();
        }
    }
}
