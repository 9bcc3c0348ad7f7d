package dev.couchjobs.fdb.simulation;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Injects faults into the store and processes as time goes by, each about once in a second. */
final class FaultScheduler {
    private static final long LONGEST_SPELL = TimeUnit.SECONDS.toNanos(2);
    private static final long LONGEST_LOSS = TimeUnit.SECONDS.toNanos(3);
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(10);
    private static final long LARGEST_SKEW = TimeUnit.SECONDS.toNanos(5);
    private static final long LARGEST_JUMP = TimeUnit.SECONDS.toNanos(20);

    private static final int MAX_DAYS = 30;
    private static final Set<Fault> OVER_PROCESSES =
            EnumSet.of(Fault.DEATH, Fault.PAUSE, Fault.CLOCK_JUMP, Fault.DATE_JUMP);

    private final VirtualScheduler time;
    private final FaultWeights weights;
    private final RandomGenerator random;

    FaultScheduler(VirtualScheduler time, FaultWeights weights, RandomGenerator random) {
        this.time = time;
        this.weights = weights;
        this.random = random;
    }

    /** Receives the store when it starts. */
    void over(SharedStore store) {
        if (weights.of(Fault.STORE_LOSS) > 0) {
            later(() -> spell(store));
        }
    }

    private void spell(SharedStore store) {
        if (weights.isCalm()) {
            return;
        }
        if (weights.occurs(Fault.STORE_LOSS, random)) {
            store.lose(Duration.ofNanos(random.nextLong(LONGEST_LOSS)));
        }
        later(() -> spell(store));
    }

    /** Receives every process when it starts. */
    void over(SimulatedProcess process) {
        if (weights.occurs(Fault.CLOCK_SKEW, random)) {
            process.jumpClock(Duration.ofNanos(random.nextLong(-LARGEST_SKEW, LARGEST_SKEW)));
        }
        if (weights.occurs(Fault.WRONG_DATE, random)) {
            process.jumpClock(days());
        }
        if (OVER_PROCESSES.stream().anyMatch(fault -> weights.of(fault) > 0)) {
            later(() -> spell(process));
        }
    }

    private void spell(SimulatedProcess process) {
        if (weights.isCalm() || !process.isAlive()) {
            return;
        }
        if (weights.occurs(Fault.CLOCK_JUMP, random)) {
            process.jumpClock(Duration.ofNanos(random.nextLong(-LARGEST_JUMP, LARGEST_JUMP)));
        }
        if (weights.occurs(Fault.DATE_JUMP, random)) {
            process.jumpClock(days());
        }
        if (weights.occurs(Fault.PAUSE, random)) {
            process.pause(Duration.ofNanos(random.nextLong(LONGEST_PAUSE)));
        }
        if (weights.occurs(Fault.DEATH, random)) {
            process.kill();
        }
        later(() -> spell(process));
    }

    /** A day at least, forward or back. */
    private Duration days() {
        Duration days = Duration.ofDays(1 + random.nextInt(MAX_DAYS));
        return random.nextBoolean() ? days : days.negated();
    }

    private void later(Runnable spell) {
        var unused = time.schedule(spell, random.nextLong(LONGEST_SPELL), TimeUnit.NANOSECONDS);
    }
}
