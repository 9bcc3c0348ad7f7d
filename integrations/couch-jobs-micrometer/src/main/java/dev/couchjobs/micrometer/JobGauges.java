package dev.couchjobs.micrometer;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.Health;
import dev.couchjobs.HealthStatus;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobType;
import dev.couchjobs.loop.DurationText;
import dev.couchjobs.loop.GuardedExecutor;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * Shows how many jobs there are and how long they wait, in a registry. It reads the database periodically, until it is
 * closed:
 *
 * <pre>{@code
 * JobGauges gauges = JobGauges.on(registry, database, jobs);
 * }</pre>
 *
 * <table>
 *   <caption>Meters</caption>
 *   <tr><th>meter</th><th>tags</th><th>what it measures</th></tr>
 *   <tr><td>{@code couchjobs.jobs}</td><td>type, state</td><td>jobs that are {@code pending}, {@code blocked},
 *     {@code running}, {@code succeeded}, {@code failed}, {@code cancelled} or {@code expired}</td></tr>
 *   <tr><td>{@code couchjobs.queue.age}</td><td>type</td><td>for how many seconds the first job of the queue has been
 *     due, as {@link dev.couchjobs.Health.DueJob} says; 0 if none is due</td></tr>
 *   <tr><td>{@code couchjobs.workers}</td><td></td><td>live workers</td></tr>
 *   <tr><td>{@code couchjobs.quarantined}</td><td></td><td>rows in quarantine, up to 100</td></tr>
 * </table>
 *
 * <p>All instances on the same jobs show the same numbers: use this in one or two processes, and take the maximum of
 * them and not the sum. Each poll is three transactions that only read. After a poll that has failed all gauges are NaN
 * until the next one that has not. Safe for use by several threads.
 */
public final class JobGauges implements AutoCloseable {
    /** How many types have gauges. */
    public static final int TYPES_MAX = 100;

    private static final Duration PERIOD = Duration.ofSeconds(15);

    /** The numbers of jobs by the tag of the state. */
    private static final Map<String, Function<JobCounts, Long>> STATES = states();

    private final MeterRegistry registry;
    private final Database database;
    private final CouchJobs jobs;
    private final Duration period;
    private final boolean areTypesGiven;
    private final Environment environment = Environment.system();
    private final Loop loop;
    private final List<Meter> meters = new ArrayList<>();
    /** The types that have gauges. Used by one round at a time. */
    private final Map<String, JobType<?, ?>> types = new LinkedHashMap<>();

    private volatile Optional<Reading> last = Optional.empty();
    private boolean isClosed;

    /** What a poll has read. */
    private record Reading(Map<String, JobCounts> counts, Map<String, Double> ages, int workers, int quarantined) {}

    private JobGauges(
            MeterRegistry registry,
            Database database,
            CouchJobs jobs,
            Duration period,
            Optional<Collection<? extends JobType<?, ?>>> given) {
        if (period.isZero() || period.isNegative()) {
            throw new IllegalArgumentException(
                    "The period must be more than nothing; this is " + DurationText.of(period) + ".");
        }
        this.registry = Objects.requireNonNull(registry, "registry");
        this.database = Objects.requireNonNull(database, "database");
        this.jobs = Objects.requireNonNull(jobs, "jobs");
        this.period = period;
        this.areTypesGiven = given.isPresent();
        this.loop = new Loop("job gauges", environment, GuardedExecutor.of(database, environment), this::round);
        given.ifPresent(all -> all.forEach(type -> types.put(type.name(), type)));
        if (types.size() > TYPES_MAX) {
            throw new IllegalArgumentException("At most " + TYPES_MAX + " types have gauges; these are " + types.size()
                    + ": name those that matter most.");
        }
        gauge(Meters.WORKERS, Tags.empty(), reading -> (double) reading.workers());
        gauge(Meters.QUARANTINED, Tags.empty(), reading -> (double) reading.quarantined());
        types.keySet().forEach(this::addGauges);
    }

    private static Map<String, Function<JobCounts, Long>> states() {
        Map<String, Function<JobCounts, Long>> states = new LinkedHashMap<>();
        states.put("pending", JobCounts::pending);
        states.put("blocked", JobCounts::blocked);
        states.put("running", JobCounts::running);
        states.put("succeeded", JobCounts::succeeded);
        states.put("failed", JobCounts::failed);
        states.put("cancelled", JobCounts::cancelled);
        states.put("expired", JobCounts::expired);
        return states;
    }

    /**
     * Starts gauges of all types, read every 15 seconds. If there are more than {@value #TYPES_MAX} types, only as many
     * have gauges: those that were found first, in the order of their names.
     *
     * @param registry the registry
     * @param database the database of the jobs
     * @param jobs the instance that reads them
     * @return the gauges, to be closed before the instance
     */
    public static JobGauges on(MeterRegistry registry, Database database, CouchJobs jobs) {
        return on(registry, database, jobs, PERIOD);
    }

    /**
     * Starts gauges of all types, as {@link #on(MeterRegistry, Database, CouchJobs)} does.
     *
     * @param registry the registry
     * @param database the database of the jobs
     * @param jobs the instance that reads them
     * @param period the time between two polls
     * @return the gauges, to be closed before the instance
     * @throws IllegalArgumentException if the period is not more than nothing
     */
    public static JobGauges on(MeterRegistry registry, Database database, CouchJobs jobs, Duration period) {
        return new JobGauges(registry, database, jobs, period, Optional.empty()).start();
    }

    /**
     * Starts gauges of some types.
     *
     * @param registry the registry
     * @param database the database of the jobs
     * @param jobs the instance that reads them
     * @param period the time between two polls
     * @param types the types, at most {@value #TYPES_MAX}
     * @return the gauges, to be closed before the instance
     * @throws IllegalArgumentException if the period is not more than nothing, or there are more types
     */
    public static JobGauges on(
            MeterRegistry registry,
            Database database,
            CouchJobs jobs,
            Duration period,
            Collection<? extends JobType<?, ?>> types) {
        return new JobGauges(registry, database, jobs, period, Optional.of(types)).start();
    }

    private JobGauges start() {
        loop.wakeUp();
        return this;
    }

    /** Ends the polls, and removes the gauges from the registry. */
    @Override
    public void close() {
        loop.close();
        environment.close();
        synchronized (meters) {
            isClosed = true;
            meters.forEach(registry::remove);
            meters.clear();
        }
    }

    private void addGauges(String type) {
        Tags tags = Tags.of("type", type);
        STATES.forEach((state, number) -> gauge(Meters.JOBS, tags.and("state", state), reading -> {
            JobCounts counts = reading.counts().get(type);
            return counts == null ? Double.NaN : number.apply(counts);
        }));
        gauge(Meters.QUEUE_AGE, tags, reading -> reading.ages().getOrDefault(type, Double.NaN));
    }

    private void gauge(Meters meter, Tags tags, Function<Reading, Double> value) {
        synchronized (meters) {
            if (!isClosed) {
                meters.add(meter.gauge(registry, tags, () -> last.map(value).orElse(Double.NaN)));
            }
        }
    }

    private CompletableFuture<Pause> round() {
        return findTypes()
                .thenCompose(done -> read())
                .thenApply(reading -> {
                    last = Optional.of(reading);
                    return Pause.atMost(period);
                })
                .exceptionally(error -> {
                    last = Optional.empty();
                    if (error.getCause() instanceof CouchJobsClosedException) {
                        return Pause.untilWakeUp();
                    }
                    throw new CompletionException(error.getCause());
                });
    }

    private CompletableFuture<?> findTypes() {
        return areTypesGiven
                ? CompletableFuture.completedFuture(types)
                : jobs.types()
                        .getTypes(database)
                        .thenAccept(names -> names.stream()
                                .filter(name -> !types.containsKey(name))
                                .limit(TYPES_MAX - types.size())
                                .forEach(name -> {
                                    types.put(name, JobType.of(name, Object.class));
                                    addGauges(name);
                                }));
    }

    private CompletableFuture<Reading> read() {
        return database.readAsync(this::counts)
                .thenCombine(jobs.health().types(types.values()).check(), JobGauges::reading);
    }

    private CompletableFuture<Map<String, JobCounts>> counts(ReadTransaction tx) {
        Map<String, CompletableFuture<JobCounts>> reads = new HashMap<>();
        types.forEach((name, type) -> reads.put(name, jobs.counts(tx, type)));
        return CompletableFuture.allOf(reads.values().toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    Map<String, JobCounts> counts = new HashMap<>();
                    reads.forEach((name, read) -> counts.put(name, read.join()));
                    return counts;
                });
    }

    private static Reading reading(Map<String, JobCounts> counts, Health health) {
        if (health.status() == HealthStatus.DOWN) {
            throw new IllegalStateException(String.join(" ", health.reasons()));
        }
        Map<String, Double> ages = new HashMap<>();
        counts.keySet().forEach(type -> ages.put(type, 0.0));
        health.due().forEach(job -> ages.put(job.type(), job.dueFor().toMillis() / 1_000.0));
        return new Reading(counts, ages, health.liveWorkers(), health.quarantined());
    }
}
