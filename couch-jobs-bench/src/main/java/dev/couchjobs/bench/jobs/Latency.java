package dev.couchjobs.bench.jobs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * How long an idle worker takes to start a job, from the return of {@code add}. A handler that starts before that has
 * taken no time.
 *
 * @param fromElsewhere whether another instance adds the jobs than the one that works
 * @param pollMillis at which intervals the system looks for jobs; adds fall anywhere between two looks
 */
record Latency(boolean fromElsewhere, long pollMillis) implements Variant {
    private static final int SAMPLES_MOST = 1_000;
    private static final int SAMPLES_FEWEST = 5;
    private static final int WINDOWS = 5;
    private static final long QUIET_MILLIS = 2;
    private static final long PATIENCE_SECONDS = 60;

    private record Start(int number, long at) {}

    @Override
    public List<Figure> measure(Subject subject) throws InterruptedException {
        BlockingQueue<Start> starts = new LinkedBlockingQueue<>();
        List<Double> millis;
        try (JobSystem.Instance worker = subject.system().join();
                JobSystem.Instance other = subject.system().join()) {
            worker.work(number -> starts.add(new Start(number, System.nanoTime())));
            JobSystem.Instance producer = fromElsewhere ? other : worker;
            sample(subject, producer, starts, 1, subject.warmUp().toNanos());
            millis = sample(
                    subject, producer, starts, SAMPLES_FEWEST, subject.window().toNanos() * WINDOWS);
        }
        Collections.sort(millis);
        long lost = subject.system().unfinished();
        String place = fromElsewhere ? "another instance adds" : "the working instance adds";
        return List.of(
                new Figure(place + ", median", Figure.LATENCY, at(millis, 50), millis.size(), lost, starts.size()),
                new Figure(place + ", p99", Figure.LATENCY, at(millis, 99), millis.size(), lost, starts.size()));
    }

    /** Adds one job after the other, each when the one before is over, and returns how long they took to start. */
    private List<Double> sample(
            Subject subject, JobSystem.Instance producer, BlockingQueue<Start> starts, int fewest, long nanos)
            throws InterruptedException {
        List<Double> millis = new ArrayList<>();
        long begin = System.nanoTime();
        while (millis.size() < SAMPLES_MOST && (millis.size() < fewest || System.nanoTime() - begin < nanos)) {
            TimeUnit.MILLISECONDS.sleep(
                    QUIET_MILLIS + ThreadLocalRandom.current().nextLong(pollMillis + 1));
            int number = subject.next(1);
            producer.add(number);
            long added = System.nanoTime();
            Start start = starts.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (start == null || start.number != number) {
                throw new IllegalStateException("Job " + number + " was added and " + start + " was started");
            }
            millis.add(Math.max(0, start.at - added) / (double) TimeUnit.MILLISECONDS.toNanos(1));
        }
        return millis;
    }

    /** The nearest rank of those in order. */
    static double at(List<Double> sorted, int percent) {
        int rank = (int) Math.ceil(sorted.size() * percent / 100.0);
        return sorted.get(Math.max(0, rank - 1));
    }
}
