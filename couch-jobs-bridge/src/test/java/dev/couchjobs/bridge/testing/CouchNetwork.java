package dev.couchjobs.bridge.testing;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** The network between servers and their clients. */
final class CouchNetwork {
    private static final Duration USUAL = Duration.ofMillis(3);
    private static final Duration SLOW = Duration.ofSeconds(3);
    private static final Duration SLOW_REPLICATION = Duration.ofSeconds(10);

    private final ScheduledExecutorService scheduler;
    private final CouchFaultWeights weights;
    private final RandomGenerator random;
    private final Consumer<String> log;
    private Set<ModelServer> off = Set.of();

    CouchNetwork(
            ScheduledExecutorService scheduler,
            CouchFaultWeights weights,
            RandomGenerator random,
            Consumer<String> log) {
        this.scheduler = scheduler;
        this.weights = weights;
        this.random = random;
        this.log = log;
    }

    RandomGenerator random() {
        return random;
    }

    boolean strikes(CouchFault fault) {
        return weights.strikes(fault, random);
    }

    void log(String what) {
        log.accept(what);
    }

    /** Separates some servers from all others. */
    void cut(Set<ModelServer> oneSide) {
        off = Set.copyOf(oneSide);
    }

    boolean joins(ModelServer one, ModelServer other) {
        return off.contains(one) == off.contains(other);
    }

    /** Runs an action after the usual delay, or after a longer one if the fault occurs. */
    void send(CouchFault slow, Runnable arrival) {
        Duration most = USUAL;
        if (strikes(slow)) {
            most = slow == CouchFault.SLOW_REPLICATION ? SLOW_REPLICATION : SLOW;
        }
        after(Duration.ofNanos(random.nextLong(most.toNanos())), arrival);
    }

    void after(Duration duration, Runnable action) {
        var unused = scheduler.schedule(action, duration.toNanos(), TimeUnit.NANOSECONDS);
    }

    void execute(Runnable action) {
        scheduler.execute(action);
    }
}
