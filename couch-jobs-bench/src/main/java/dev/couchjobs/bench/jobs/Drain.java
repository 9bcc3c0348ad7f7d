package dev.couchjobs.bench.jobs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How many jobs a second handlers that do nothing get through, from the start of the first to the durable end of the
 * last, while nobody adds.
 *
 * @param workers how many instances work
 */
record Drain(int workers) implements Variant {
    private static final int FEWEST = 2_000;
    private static final int MOST = 1_000_000;
    private static final int GROWTH_MOST = 8;
    /** More than all workers together ever run at once. */
    private static final int LAST = 2_000;

    record Round(int jobs, double seconds, Duration processorTime, long lost, long doubled) {
        double rate() {
            return jobs / seconds;
        }
    }

    /** Backlogs grow until one takes about as long as it should; those before are the warm-up. */
    @Override
    public List<Figure> measure(Subject subject) throws InterruptedException {
        double warmUp = seconds(subject.warmUp().toNanos());
        double window = seconds(subject.window().toNanos());
        int jobs = FEWEST;
        long lost = 0;
        long doubled = 0;
        for (double spent = 0; ; ) {
            Round round = drain(subject, subject.load(jobs), jobs);
            lost += round.lost;
            doubled += round.doubled;
            if ((spent >= warmUp && round.seconds >= window / 2) || jobs == MOST || round.lost > 0) {
                String row = workers == 1 ? "1 worker" : workers + " workers";
                return List.of(
                        new Figure(row, Figure.RATE, round.rate(), jobs, lost, doubled),
                        Figure.processorTime(row, round.processorTime, jobs, lost, doubled));
            }
            spent += round.seconds;
            int wanted = (int) Math.min(MOST, round.rate() * window);
            jobs = Math.max(FEWEST, Math.min(wanted, jobs * GROWTH_MOST));
        }
    }

    /** Has jobs that are there run, from number {@code first} on. */
    Round drain(Subject subject, int first, int jobs) throws InterruptedException {
        Tally tally = new Tally(first, jobs);
        List<JobSystem.Instance> instances = new ArrayList<>();
        for (int worker = 0; worker < workers; worker++) {
            instances.add(subject.system().join());
        }
        Duration before = subject.processorTime();
        for (JobSystem.Instance instance : instances) {
            instance.work(tally::run);
        }
        boolean isOver = tally.await(jobs) && tally.awaitEnd(subject.system(), LAST);
        double seconds = seconds(System.nanoTime() - tally.firstAt());
        Duration processorTime = subject.processorTime().minus(before);
        for (JobSystem.Instance instance : instances) {
            instance.close();
        }
        long lost =
                Math.max(isOver ? 0 : 1, Math.max(tally.lost(), subject.system().unfinished()));
        return new Round(jobs, seconds, processorTime, lost, tally.doubled());
    }

    private static double seconds(long nanos) {
        return nanos / (double) TimeUnit.SECONDS.toNanos(1);
    }
}
