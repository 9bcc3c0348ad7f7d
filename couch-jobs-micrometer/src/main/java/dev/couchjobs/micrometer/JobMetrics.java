package dev.couchjobs.micrometer;

import dev.couchjobs.AttemptEnd;
import dev.couchjobs.JobsListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
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
 *   <tr><td>{@code couchjobs.jobs.added}</td><td>type</td><td>jobs added, replaced or enqueued again</td></tr>
 *   <tr><td>{@code couchjobs.jobs.claimed}</td><td>type</td><td>jobs claimed</td></tr>
 *   <tr><td>{@code couchjobs.jobs.removed}</td><td>type</td><td>jobs removed after their retention</td></tr>
 *   <tr><td>{@code couchjobs.attempts}</td><td>type, end</td><td>the time of handlers, by how the attempt ended:
 *     {@code succeeded}, {@code retried}, {@code failed}, {@code cancelled}, {@code snoozed} or
 *     {@code released}</td></tr>
 *   <tr><td>{@code couchjobs.attempts.active}</td><td>type</td><td>attempts that have started and not ended</td></tr>
 *   <tr><td>{@code couchjobs.claims.lost}</td><td>type, cause</td><td>claims that workers have lost, because the job
 *     was {@code cancelled}, or otherwise: {@code other}</td></tr>
 *   <tr><td>{@code couchjobs.claims.expired}</td><td>type</td><td>claims that the monitor has ended</td></tr>
 *   <tr><td>{@code couchjobs.heartbeats.late}</td><td>type</td><td>heartbeats of jobs that came with less than half of
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
    private static final String ACTIVE = "couchjobs.attempts.active";

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

    private void count(String meter, String unit, String type, int amount) {
        Counter.builder(meter)
                .tag("type", tag(type))
                .baseUnit(unit)
                .register(registry)
                .increment(amount);
    }

    @Override
    public void added(Added event) {
        count("couchjobs.jobs.added", "jobs", event.type(), event.jobs());
    }

    @Override
    public void claimed(Claimed event) {
        count("couchjobs.jobs.claimed", "jobs", event.type(), event.jobs());
    }

    @Override
    public void removed(Removed event) {
        count("couchjobs.jobs.removed", "jobs", event.type(), event.jobs());
    }

    @Override
    public void expired(Expired event) {
        count("couchjobs.claims.expired", "claims", event.type(), event.jobs());
    }

    @Override
    public void heartbeatsLate(HeartbeatsLate event) {
        count("couchjobs.heartbeats.late", "heartbeats", event.type(), event.jobs());
    }

    @Override
    public void started(Started event) {
        active(event.type()).incrementAndGet();
    }

    private AtomicInteger active(String type) {
        return active.computeIfAbsent(tag(type), tag -> {
            AtomicInteger count = new AtomicInteger();
            removeGaugeWithoutValue(tag);
            Gauge.builder(ACTIVE, count, AtomicInteger::get)
                    .tag("type", tag)
                    .baseUnit("attempts")
                    .register(registry);
            return count;
        });
    }

    /** A registry keeps the gauge of an instance that is gone, and would ignore the new one. */
    private void removeGaugeWithoutValue(String tag) {
        Gauge present = registry.find(ACTIVE).tag("type", tag).gauge();
        if (present != null && Double.isNaN(present.value())) {
            registry.remove(present);
        }
    }

    @Override
    public void ended(Ended event) {
        active(event.type()).decrementAndGet();
        boolean isRetried = event.how() == AttemptEnd.FAILED && event.isRetried();
        Timer.builder("couchjobs.attempts")
                .tag("type", tag(event.type()))
                .tag("end", isRetried ? "retried" : event.how().name().toLowerCase(Locale.ROOT))
                .register(registry)
                .record(event.took());
    }

    @Override
    public void lost(Lost event) {
        if (event.hasStarted()) {
            active(event.type()).decrementAndGet();
        }
        Counter.builder("couchjobs.claims.lost")
                .tag("type", tag(event.type()))
                .tag("cause", event.isCancelled() ? "cancelled" : OTHER)
                .baseUnit("claims")
                .register(registry)
                .increment();
    }

    @Override
    public void transactionEnded(TransactionEnded event) {
        Timer.builder("couchjobs.transactions")
                .tag("purpose", event.purpose())
                .tag("result", event.error().isEmpty() ? "committed" : "failed")
                .register(registry)
                .record(event.took());
        countTries("couchjobs.transactions.retries", event.purpose(), event.tries() - 1);
        countTries("couchjobs.transactions.conflicts", event.purpose(), event.conflicts());
    }

    private void countTries(String meter, String purpose, int tries) {
        if (tries > 0) {
            Counter.builder(meter)
                    .tag("purpose", purpose)
                    .baseUnit("tries")
                    .register(registry)
                    .increment(tries);
        }
    }
}
