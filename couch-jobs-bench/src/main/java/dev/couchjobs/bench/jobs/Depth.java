package dev.couchjobs.bench.jobs;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * How many jobs a second one worker gets through when so many are pending. A backlog that is drained too soon is filled
 * up while the clock stands still.
 *
 * @param pending how many jobs there are to begin with
 */
record Depth(int pending) implements Variant {
    /** Counts the time in which the worker works, and what it did in it, apart from the warm-up. */
    private static final class Meter {
        private final long warmUp;
        private final long end;
        private long busyBefore;
        private long begunBefore;
        private long markBusy = -1;
        private long markBegun;

        Meter(Subject subject) {
            warmUp = subject.warmUp().toNanos();
            end = warmUp + subject.window().toNanos();
        }

        /** Takes a look at a round; says whether enough has been seen. */
        boolean look(Tally tally, long now) {
            long busy = busyBefore + now - tally.firstAt();
            if (markBusy < 0 && busy >= warmUp) {
                markBusy = busy;
                markBegun = begunBefore + tally.begun();
            }
            return busy >= end;
        }

        /** Closes a round. */
        void add(Tally tally, long now) {
            busyBefore += now - tally.firstAt();
            begunBefore += tally.begun();
        }

        boolean isOver() {
            return busyBefore >= end;
        }

        double rate() {
            return (begunBefore - markBegun) * (double) TimeUnit.SECONDS.toNanos(1) / (busyBefore - markBusy);
        }
    }

    @Override
    public List<Figure> measure(Subject subject) throws InterruptedException {
        Meter meter = new Meter(subject);
        long wrong = 0;
        long doubled = 0;
        while (!meter.isOver() && wrong == 0) {
            Tally tally = new Tally(subject.load(pending), pending);
            try (JobSystem.Instance worker = subject.system().join()) {
                worker.work(tally::run);
                if (tally.await(1)) {
                    watch(tally, meter);
                }
            }
            doubled += tally.doubled();
            wrong = Math.abs(subject.system().unfinished() - tally.lost());
        }
        String row = String.format(Locale.ROOT, "%,d pending", pending);
        return List.of(new Figure(row, Figure.RATE, meter.rate(), meter.begunBefore, wrong, doubled));
    }

    /** Until all have begun, or the time is up. */
    private void watch(Tally tally, Meter meter) throws InterruptedException {
        long now = System.nanoTime();
        while (!meter.look(tally, now) && tally.begun() < pending) {
            TimeUnit.MICROSECONDS.sleep(200);
            now = System.nanoTime();
        }
        meter.add(tally, tally.begun() == pending ? tally.lastAt() : now);
    }
}
