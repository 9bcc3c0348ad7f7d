package dev.couchjobs.bench.jobs;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What it costs to keep the claims on jobs that run for long, in one instance of ours.
 *
 * @param jobs how many run
 * @param timeout after how long a silence they would be given to others
 * @param window how long they are watched; some timeouts, or what it costs is known roughly
 */
record HeartbeatCost(int jobs, Duration timeout, Duration window) implements Variant {
    @Override
    public List<Figure> measure(Subject subject) throws InterruptedException {
        CouchJobsSystem system = (CouchJobsSystem) subject.system();
        system.setActivityTimeout(timeout);
        Tally tally = new Tally(subject.load(jobs), jobs);
        Traffic traffic;
        Duration used;
        double timeouts;
        try (CouchJobsSystem.Member worker = system.join()) {
            worker.hold(jobs, tally::run);
            tally.await(jobs);
            TimeUnit.NANOSECONDS.sleep(subject.warmUp().toNanos());
            Traffic before = subject.traffic();
            Duration usedBefore = subject.processorTime();
            long begin = System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(window.toNanos());
            timeouts = (System.nanoTime() - begin) / (double) timeout.toNanos();
            traffic = subject.traffic().since(before);
            used = subject.processorTime().minus(usedBefore);
        }
        long lost = Math.max(tally.lost(), Math.abs(jobs - subject.system().unfinished()));
        String row = "keeping " + jobs + " jobs of a type with a timeout of " + timeout.toSeconds() + " s: ";
        return List.of(
                figure(row + "transactions", traffic.transactions() / timeouts, lost, tally),
                figure(row + "retries", traffic.retries() / timeouts, lost, tally),
                figure(row + "keys written", traffic.keysWritten() / timeouts, lost, tally),
                figure(row + "keys read", traffic.keysRead() / timeouts, lost, tally),
                figure(row + "ranges read", traffic.rangesRead() / timeouts, lost, tally),
                figure(row + "milliseconds of processor time", used.toMillis() / timeouts, lost, tally));
    }

    private Figure figure(String row, double value, long lost, Tally tally) {
        return new Figure(row, "per timeout", value, jobs, lost, tally.doubled());
    }
}
