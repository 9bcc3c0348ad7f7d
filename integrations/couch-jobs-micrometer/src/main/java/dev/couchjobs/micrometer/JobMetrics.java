package dev.couchjobs.micrometer;

import dev.couchjobs.AttemptEnd;
import dev.couchjobs.JobsListener;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts and times what an instance does, in a registry:
 *
 * <pre>{@code
 * CouchJobs jobs = CouchJobs.builder(database).listener(JobMetrics.on(registry)).build();
 * }</pre>
 *
 * <table>
 *   <caption>Meters</caption>
 *   <tr><th>meter</th><th>tags</th><th>what it measures</th></tr>
 *   <tr><td>{@code couchjobs.added.jobs}</td><td>type</td><td>jobs added, replaced or enqueued again</td></tr>
 *   <tr><td>{@code couchjobs.claimed.jobs}</td><td>type</td><td>jobs claimed</td></tr>
 *   <tr><td>{@code couchjobs.removed.jobs}</td><td>type</td><td>jobs removed after their retention</td></tr>
 *   <tr><td>{@code couchjobs.attempts}</td><td>type, end</td><td>the time of handlers, by how the attempt ended:
 *     {@code succeeded}, {@code retried}, {@code failed}, {@code cancelled}, {@code snoozed} or
 *     {@code released}</td></tr>
 *   <tr><td>{@code couchjobs.active.attempts}</td><td>type</td><td>attempts that have started and not ended</td></tr>
 *   <tr><td>{@code couchjobs.lost.claims}</td><td>type, cause</td><td>claims that workers have lost, because the job
 *     was {@code cancelled}, or otherwise: {@code other}</td></tr>
 *   <tr><td>{@code couchjobs.expired.claims}</td><td>type</td><td>claims that the monitor has ended</td></tr>
 *   <tr><td>{@code couchjobs.late.heartbeats}</td><td>type</td><td>heartbeats of jobs that came with less than half of
 *     the activity timeout left</td></tr>
 *   <tr><td>{@code couchjobs.transactions}</td><td>purpose, result</td><td>the time of the library's transactions with
 *     all their tries, {@code committed} or {@code failed}</td></tr>
 *   <tr><td>{@code couchjobs.transactions.retries}</td><td>purpose</td><td>tries after the first</td></tr>
 *   <tr><td>{@code couchjobs.transactions.conflicts}</td><td>purpose</td><td>tries that ended in a conflict with
 *     another transaction</td></tr>
 * </table>
 *
 * <p>No tag has the id of a job. The first hundred types have tags of their own; further ones share {@code other}.
 * Instances of several processes are told apart by the common tags of their registries.
 */
public final class JobMetrics implements JobsListener {
    private static final int TYPES_MAX = 100;
    private static final String OTHER = "other";

    private final MeterRegistry registry;
    private final Map<String, String> typeTags = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> active = new ConcurrentHashMap<>();

    private JobMetrics(MeterRegistry registry) {
        this.registry = Objects.requireNonNull(registry, "registry");
    }

    /**
     * {@return a listener that records in a registry}
     *
     * @param registry the registry
     */
    public static JobMetrics on(MeterRegistry registry) {
        return new JobMetrics(registry);
    }

    private String tag(String type) {
        String known = typeTags.get(type);
        if (known != null) {
            return known;
        }
        // Racing threads may exceed the limit by one type each.
        return typeTags.size() >= TYPES_MAX ? OTHER : typeTags.computeIfAbsent(type, name -> name);
    }

    private void count(Meters meter, String type, int amount) {
        meter.count(registry, Tags.of("type", tag(type)), amount);
    }

    @Override
    public void added(Added event) {
        count(Meters.ADDED, event.type(), event.jobs());
    }

    @Override
    public void claimed(Claimed event) {
        count(Meters.CLAIMED, event.type(), event.jobs());
    }

    @Override
    public void removed(Removed event) {
        count(Meters.REMOVED, event.type(), event.jobs());
    }

    @Override
    public void expired(Expired event) {
        count(Meters.EXPIRED_CLAIMS, event.type(), event.jobs());
    }

    @Override
    public void heartbeatsLate(HeartbeatsLate event) {
        count(Meters.LATE_HEARTBEATS, event.type(), event.jobs());
    }

    @Override
    public void started(Started event) {
        active(event.type()).incrementAndGet();
    }

    private AtomicInteger active(String type) {
        return active.computeIfAbsent(tag(type), tag -> {
            AtomicInteger count = new AtomicInteger();
            removeGaugeWithoutValue(tag);
            Meters.ACTIVE_ATTEMPTS.gauge(registry, Tags.of("type", tag), count::get);
            return count;
        });
    }

    /** A registry keeps the gauge of an instance that is gone, and would ignore the new one. */
    private void removeGaugeWithoutValue(String tag) {
        Gauge present =
                registry.find(Meters.ACTIVE_ATTEMPTS.meter()).tag("type", tag).gauge();
        if (present != null && Double.isNaN(present.value())) {
            registry.remove(present);
        }
    }

    @Override
    public void ended(Ended event) {
        active(event.type()).decrementAndGet();
        boolean isRetried = event.how() == AttemptEnd.FAILED && event.isRetried();
        String end = isRetried ? "retried" : event.how().name().toLowerCase(Locale.ROOT);
        Meters.ATTEMPTS
                .timer(registry, Tags.of("type", tag(event.type()), "end", end))
                .record(event.took());
    }

    @Override
    public void lost(Lost event) {
        if (event.hasStarted()) {
            active(event.type()).decrementAndGet();
        }
        String cause = event.isCancelled() ? "cancelled" : OTHER;
        Meters.LOST_CLAIMS.count(registry, Tags.of("type", tag(event.type()), "cause", cause), 1);
    }

    @Override
    public void transactionEnded(TransactionEnded event) {
        Tags purpose = Tags.of("purpose", event.purpose());
        Meters.TRANSACTIONS
                .timer(registry, purpose.and("result", event.error().isEmpty() ? "committed" : "failed"))
                .record(event.took());
        countTries(Meters.TRANSACTION_RETRIES, purpose, event.tries() - 1);
        countTries(Meters.TRANSACTION_CONFLICTS, purpose, event.conflicts());
    }

    private void countTries(Meters meter, Tags purpose, int tries) {
        if (tries > 0) {
            meter.count(registry, purpose, tries);
        }
    }
}
