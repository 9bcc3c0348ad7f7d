package dev.couchjobs.bench.jobs;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a worker costs that has nothing to do. */
record IdleCost() implements Variant {
    @Override
    public List<Figure> measure(Subject subject) throws InterruptedException {
        int number = subject.next(1);
        Tally tally = new Tally(number, 1);
        Traffic traffic;
        long nanos;
        try (JobSystem.Instance worker = subject.system().join()) {
            worker.work(tally::run);
            worker.add(number);
            tally.await(1);
            TimeUnit.NANOSECONDS.sleep(subject.warmUp().toNanos());
            Traffic before = subject.traffic();
            long begin = System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(subject.window().toNanos());
            nanos = System.nanoTime() - begin;
            traffic = subject.traffic().since(before);
        }
        double perSecond = traffic.transactions() * (double) TimeUnit.SECONDS.toNanos(1) / nanos;
        double writing = traffic.writing() * (double) TimeUnit.SECONDS.toNanos(1) / nanos;
        long lost = tally.lost() + subject.system().unfinished();
        return List.of(
                new Figure("an idle worker: transactions", "per second", perSecond, 1, lost, tally.doubled()),
                new Figure("an idle worker: transactions that write", "per second", writing, 1, lost, tally.doubled()));
    }
}
