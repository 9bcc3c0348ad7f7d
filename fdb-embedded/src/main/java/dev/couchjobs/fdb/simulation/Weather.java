package dev.couchjobs.fdb.simulation;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** What befalls the store and processes as time goes by, each about once in a second. */
final class Weather {
    private static final long LONGEST_SPELL = TimeUnit.SECONDS.toNanos(2);
    private static final long LONGEST_LOSS = TimeUnit.SECONDS.toNanos(3);
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(10);
    private static final long LARGEST_SKEW = TimeUnit.SECONDS.toNanos(5);
    private static final long LARGEST_JUMP = TimeUnit.SECONDS.toNanos(20);

    private final VirtualScheduler time;
    private final Weights weights;
    private final RandomGenerator random;

    Weather(VirtualScheduler time, Weights weights, RandomGenerator random) {
        this.time = time;
        this.weights = weights;
        this.random = random;
    }

    /** To be told of the store when it starts. */
    void over(Store store) {
        if (weights.of(Fault.STORE_LOSS) > 0) {
            later(() -> spell(store));
        }
    }

    private void spell(Store store) {
        if (weights.isCalm()) {
            return;
        }
        if (weights.strikes(Fault.STORE_LOSS, random)) {
            store.lose(Duration.ofNanos(random.nextLong(LONGEST_LOSS)));
        }
        later(() -> spell(store));
    }

    /** To be told of every process when it starts. */
    void over(SimulatedProcess process) {
        if (weights.strikes(Fault.CLOCK_SKEW, random)) {
            process.jumpClock(Duration.ofNanos(random.nextLong(-LARGEST_SKEW, LARGEST_SKEW)));
        }
        if (weights.of(Fault.DEATH) + weights.of(Fault.PAUSE) + weights.of(Fault.CLOCK_JUMP) > 0) {
            later(() -> spell(process));
        }
    }

    private void spell(SimulatedProcess process) {
        if (weights.isCalm() || !process.isAlive()) {
            return;
        }
        if (weights.strikes(Fault.CLOCK_JUMP, random)) {
            process.jumpClock(Duration.ofNanos(random.nextLong(-LARGEST_JUMP, LARGEST_JUMP)));
        }
        if (weights.strikes(Fault.PAUSE, random)) {
            process.pause(Duration.ofNanos(random.nextLong(LONGEST_PAUSE)));
        }
        if (weights.strikes(Fault.DEATH, random)) {
            process.kill();
        }
        later(() -> spell(process));
    }

    private void later(Runnable spell) {
        var unused = time.schedule(spell, random.nextLong(LONGEST_SPELL), TimeUnit.NANOSECONDS);
    }
}
