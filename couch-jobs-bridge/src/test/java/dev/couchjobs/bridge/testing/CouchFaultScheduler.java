package dev.couchjobs.bridge.testing;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/** Schedules the faults of servers and of the network between them. */
final class CouchFaultScheduler {
    private static final Duration SPELL = Duration.ofSeconds(1);
    private static final int LONGEST_CRASH_MILLIS = 5_000;
    private static final int LONGEST_CUT_MILLIS = 10_000;

    private final ScheduledExecutorService scheduler;
    private final CouchFaultWeights weights;
    private final RandomGenerator random;
    private final ModelCouch couch;
    private int cuts;

    CouchFaultScheduler(
            ScheduledExecutorService scheduler, CouchFaultWeights weights, RandomGenerator random, ModelCouch couch) {
        this.scheduler = scheduler;
        this.weights = weights;
        this.random = random;
        this.couch = couch;
    }

    void begin() {
        after(SPELL, this::spell);
    }

    private void spell() {
        for (ModelServer server : couch.servers()) {
            if (server.isUp() && weights.strikes(CouchFault.CRASH, random)) {
                couch.crash(server, Duration.ofMillis(random.nextInt(LONGEST_CRASH_MILLIS)));
            }
        }
        if (weights.strikes(CouchFault.CUT, random)) {
            cut();
        }
        if (!weights.isCalm()) {
            begin();
        }
    }

    private void cut() {
        int number = ++cuts;
        Set<ModelServer> off =
                couch.servers().stream().filter(server -> random.nextBoolean()).collect(Collectors.toSet());
        couch.cut(off);
        after(Duration.ofMillis(random.nextInt(LONGEST_CUT_MILLIS)), () -> {
            if (number == cuts) {
                couch.join();
            }
        });
    }

    private void after(Duration duration, Runnable action) {
        var unused = scheduler.schedule(action, duration.toMillis(), TimeUnit.MILLISECONDS);
    }
}
