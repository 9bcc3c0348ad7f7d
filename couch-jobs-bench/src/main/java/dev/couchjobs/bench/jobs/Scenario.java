package dev.couchjobs.bench.jobs;

import java.time.Duration;
import java.util.List;

/** What is measured. */
enum Scenario {
    /** Adding. */
    ENQUEUE("jobs added a second: couch-jobs / ..."),
    /** Working off what is there. */
    DRAIN("jobs drained a second by instances of their own: couch-jobs / ..."),
    /** From add to start. */
    LATENCY("time from add to the start of the handler, idle: couch-jobs / ... (below 1 is sooner)"),
    /** Working off little and much. */
    DEPTH("jobs drained a second by one worker, by the number pending: couch-jobs / ..."),
    /** What the database has to do for it. */
    COST("what couch-jobs asks of the database");

    private static final int COUNTED_JOBS = 20_000;

    private final String title;

    Scenario(String title) {
        this.title = title;
    }

    /** Whether only our own jobs are looked at, and not how fast they are but what they do. */
    boolean isCounted() {
        return this == COST;
    }

    String title() {
        return title;
    }

    List<Variant> variants(SystemKind system, JobSettings settings) {
        return switch (this) {
            case ENQUEUE -> List.of(new Enqueue(1), new Enqueue(100));
            case DRAIN -> List.of(new Drain(1), new Drain(4), new Drain(8));
            case LATENCY -> List.of(new Latency(false, system.pollMillis()), new Latency(true, system.pollMillis()));
            case DEPTH -> settings.depths().stream().<Variant>map(Depth::new).toList();
            case COST ->
                List.of(
                        new EnqueueCost(1),
                        new EnqueueCost(100),
                        new DrainCost(1, COUNTED_JOBS),
                        new DrainCost(8, COUNTED_JOBS),
                        new IdleCost(),
                        new HeartbeatCost(10_000, Duration.ofSeconds(10), Duration.ofSeconds(30)));
        };
    }
}
