package dev.couchjobs.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.function.Supplier;

/**
 * All meters, with their names, units and descriptions.
 *
 * <p>Prometheus appends the unit to a name that does not end with it. A name therefore ends with its unit, or does not
 * contain it: {@code couchjobs.added.jobs} is {@code couchjobs_added_jobs_total} there.
 */
enum Meters {
    ADDED("couchjobs.added.jobs", "jobs", "Jobs that were added, replaced or enqueued again"),
    CLAIMED("couchjobs.claimed.jobs", "jobs", "Jobs that were claimed"),
    REMOVED("couchjobs.removed.jobs", "jobs", "Jobs that were removed after their retention"),
    ATTEMPTS("couchjobs.attempts", Meters.SECONDS, "Time that handlers took, by how the attempt ended"),
    ACTIVE_ATTEMPTS("couchjobs.active.attempts", "attempts", "Attempts that have started and not ended"),
    LOST_CLAIMS("couchjobs.lost.claims", "claims", "Claims that workers have lost"),
    EXPIRED_CLAIMS("couchjobs.expired.claims", "claims", "Claims that the activity monitor has ended"),
    LATE_HEARTBEATS(
            "couchjobs.late.heartbeats",
            "heartbeats",
            "Heartbeats that came with less than half of the activity timeout left"),
    TRANSACTIONS("couchjobs.transactions", Meters.SECONDS, "Time of the library's transactions, with all their tries"),
    TRANSACTION_RETRIES("couchjobs.transactions.retries", "retries", "Tries of transactions after the first"),
    TRANSACTION_CONFLICTS(
            "couchjobs.transactions.conflicts", "conflicts", "Tries that ended in a conflict with another transaction"),

    JOBS("couchjobs.jobs", "jobs", "Jobs by type and state"),
    QUEUE_AGE("couchjobs.queue.age", Meters.SECONDS, "Time for which the first job of the queue has been due"),
    WORKERS("couchjobs.workers", "workers", "Live workers"),
    QUARANTINED("couchjobs.quarantined", "rows", "Rows in quarantine, up to 100"),

    APPENDED_MESSAGES("couchjobs.topics.appended", "messages", "Messages that were appended to the topic"),
    CONSUMED_MESSAGES("couchjobs.topics.consumed", "messages", "Messages that consumers have handled"),
    BATCHES(
            "couchjobs.topics.batches",
            Meters.SECONDS,
            "Time of batches, from the read of their messages to the commit"),
    FAILURES("couchjobs.topics.failures", "failures", "Failures of single messages"),
    DEAD_MESSAGES("couchjobs.topics.dead", "messages", "Messages that went to a topic for dead letters"),
    TAKEN_PARTITIONS("couchjobs.topics.taken.partitions", "partitions", "Partitions that consumers have taken"),
    LOST_PARTITIONS("couchjobs.topics.lost.partitions", "partitions", "Partitions that consumers have lost"),
    LAG("couchjobs.topics.lag", "messages", "Messages that the group has still to consume");

    /** The unit of times; a registry records timers in its own. */
    private static final String SECONDS = "seconds";

    private final String meter;
    private final String unit;
    private final String description;

    Meters(String meter, String unit, String description) {
        this.meter = meter;
        this.unit = unit;
        this.description = description;
    }

    /** {@return the name in a registry} */
    String meter() {
        return meter;
    }

    void count(MeterRegistry registry, Tags tags, int amount) {
        Counter.builder(meter)
                .tags(tags)
                .baseUnit(unit)
                .description(description)
                .register(registry)
                .increment(amount);
    }

    Timer timer(MeterRegistry registry, Tags tags) {
        return Timer.builder(meter).tags(tags).description(description).register(registry);
    }

    Gauge gauge(MeterRegistry registry, Tags tags, Supplier<Number> value) {
        return Gauge.builder(meter, value)
                .tags(tags)
                .baseUnit(unit)
                .description(description)
                .register(registry);
    }
}
