package dev.couchjobs.bench.jobs;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many jobs a second the producers of one process add durably, while nobody works.
 *
 * @param perTransaction how many jobs each transaction adds
 */
record Enqueue(int perTransaction) implements Variant {
    static final int PRODUCERS = 16;

    @Override
    public List<Figure> measure(Subject subject) throws InterruptedException {
        LongAdder added = new LongAdder();
        double rate;
        long jobs;
        Duration used;
        try (JobSystem.Instance instance = subject.system().join()) {
            produce(subject, instance, subject.warmUp().toNanos(), added);
            long before = added.sum();
            Duration usedBefore = subject.processorTime();
            long begin = System.nanoTime();
            produce(subject, instance, subject.window().toNanos(), added);
            jobs = added.sum() - before;
            rate = jobs * (double) TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - begin);
            used = subject.processorTime().minus(usedBefore);
        }
        long lost = Math.abs(added.sum() - subject.system().unfinished());
        return List.of(
                new Figure(row(), Figure.RATE, rate, jobs, lost, 0), Figure.processorTime(row(), used, jobs, lost, 0));
    }

    private String row() {
        return perTransaction + " per transaction, " + PRODUCERS + " producers";
    }

    private void produce(Subject subject, JobSystem.Instance instance, long nanos, LongAdder added)
            throws InterruptedException {
        long begin = System.nanoTime();
        Subject.inThreads(PRODUCERS, () -> {
            do {
                int first = subject.next(perTransaction);
                if (perTransaction == 1) {
                    instance.add(first);
                } else {
                    instance.addAll(first, perTransaction);
                }
                added.add(perTransaction);
            } while (System.nanoTime() - begin < nanos);
        });
    }
}
