package dev.couchjobs.internal.health;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.ClockSkew;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.Health;
import dev.couchjobs.Health.DueJob;
import dev.couchjobs.HealthCheck;
import dev.couchjobs.internal.activity.ActivityIndex;
import dev.couchjobs.internal.counters.StateCounters;
import dev.couchjobs.internal.descent.DescentNote;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.limits.ClaimRules;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.types.TypeInUse;
import dev.couchjobs.internal.types.TypeTimeouts;
import dev.couchjobs.internal.types.TypesWithRows;
import dev.couchjobs.internal.workers.WorkerTable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the health of an instance in one transaction, within a timeout. The transaction also writes, because a database
 * whose disk is full may answer every read.
 */
public final class HealthReader {
    private static final long VERSIONS_PER_MILLI = 1_000;
    /** How many types with rows in quarantine are looked at: to find each takes a round trip. */
    private static final int QUARANTINED_TYPES_MAX = 10;
    /** A monitor of a type without a timeout renews its lease about every five seconds. */
    private static final Duration TIMEOUT_IF_NONE = Duration.ofSeconds(20);
    /** How long a check warns of a job with many jobs before it. */
    private static final Duration DESCENTS_OF = Duration.ofHours(1);
    /** The shortest time without a renewal after which a monitor is not alive: a process may pause. */
    private static final Duration SILENCE_MIN = Duration.ofSeconds(10);

    private final Database database;
    private final EngineName engine;
    private final Environment environment;
    private final InstantSource clock;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final Function<ReadTransaction, CompletableFuture<ClockSkew>> skewReader;
    private final WorkerTable workers;
    private final QueueHeads queueHeads = new QueueHeads();

    /** @param skewReader measures the skew of this process's clock */
    public HealthReader(Instance instance, Function<ReadTransaction, CompletableFuture<ClockSkew>> skewReader) {
        this.database = instance.database();
        this.engine = EngineName.of(instance.database());
        this.environment = instance.environment();
        this.clock = instance.clock();
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions().named("check health", "");
        this.skewReader = skewReader;
        this.workers = new WorkerTable(keyspace);
    }

    /** {@return the health; fails only if the instance is closed} */
    public CompletableFuture<Health> check(HealthSettings settings) {
        CompletableFuture<Health> result = new CompletableFuture<>();
        Try last = new Try(settings);
        Future<?> timer = environment
                .scheduler()
                .schedule(
                        () -> result.complete(HealthVerdict.unanswered(engine, settings.timeout(), last.answered())),
                        TimerDelays.nanos(settings.timeout()),
                        TimeUnit.NANOSECONDS);
        var unused = transactions.run(database, last::check).whenComplete((health, error) -> {
            timer.cancel(false);
            Throwable cause = error == null ? null : RootCauses.of(error);
            if (cause == null) {
                result.complete(health);
            } else if (cause instanceof CouchJobsClosedException) {
                result.completeExceptionally(cause);
            } else {
                result.complete(HealthVerdict.failed(engine, cause, settings.timeout(), last.answered()));
            }
        });
        return result;
    }

    /**
     * What a check has read.
     *
     * @param due the first due jobs of the types, longest due first
     * @param paused the types among them that are paused and whose jobs have been due for too long
     */
    record Reading(
            Duration readVersionTook,
            Types types,
            List<DueJob> due,
            Set<String> paused,
            List<String> unmonitored,
            ClockSkew clockSkew,
            QuarantinedTables quarantined,
            int liveWorkers,
            List<DescentNote> descents) {}

    /**
     * The rows in quarantine that a check has found.
     *
     * @param count how many there are, up to a limit
     * @param byType the tables of the first of them, by type
     */
    record QuarantinedTables(int count, Map<String, List<String>> byType) {}

    /**
     * The types that a check looks at.
     *
     * @param names all of them
     * @param inUse those that are in use
     * @param isComplete whether no others are left
     */
    record Types(Collection<String> names, List<TypeInUse> inUse, boolean isComplete) {}

    /** The tries of one check. */
    private final class Try {
        private final HealthSettings settings;
        private volatile @Nullable Duration readVersionTook;
        private volatile boolean hasRead;

        Try(HealthSettings settings) {
            this.settings = settings;
        }

        HealthVerdict.Answered answered() {
            return new HealthVerdict.Answered(Optional.ofNullable(readVersionTook), hasRead);
        }

        CompletableFuture<Health> check(Transaction tx) {
            hasRead = false;
            tx.options().setTimeout(settings.timeout().toMillis());
            tx.clear(keyspace.row("health"));
            return read(tx).thenApply(health -> {
                hasRead = true;
                return health;
            });
        }

        private CompletableFuture<Health> read(ReadTransaction tx) {
            readVersionTook = null;
            Instant startedAt = environment.clock().instant();
            return tx.getReadVersion().thenCompose(version -> {
                Duration took = Duration.between(startedAt, environment.clock().instant());
                readVersionTook = took;
                return read(tx.snapshot(), version, took);
            });
        }

        private CompletableFuture<Health> read(ReadTransaction tx, long version, Duration took) {
            CompletableFuture<ClockSkew> skew = skewReader.apply(tx);
            CompletableFuture<QuarantinedTables> quarantined = quarantined(tx);
            CompletableFuture<Integer> live = liveWorkers(tx);
            CompletableFuture<List<DescentNote>> descents = descents(tx, version, settings);
            return types(tx).thenCompose(types -> {
                CompletableFuture<List<String>> unmonitored = unmonitored(tx, types.inUse(), version);
                CompletableFuture<List<DueJob>> due = due(tx, types.names());
                CompletableFuture<Set<String>> paused = due.thenCompose(jobs -> paused(tx, late(jobs)));
                return CompletableFuture.allOf(skew, quarantined, live, unmonitored, paused, descents)
                        .thenApply(done -> HealthVerdict.of(
                                new Reading(
                                        took,
                                        types,
                                        due.join(),
                                        paused.join(),
                                        unmonitored.join(),
                                        skew.join(),
                                        quarantined.join(),
                                        live.join(),
                                        descents.join()),
                                settings));
            });
        }

        private List<DueJob> late(List<DueJob> due) {
            return due.stream()
                    .filter(job -> job.dueFor().compareTo(settings.dueAtMost()) > 0)
                    .toList();
        }

        private CompletableFuture<Types> types(ReadTransaction tx) {
            if (settings.types().isPresent()) {
                List<String> names = settings.types().get();
                return Futures.listOf(names.stream()
                                .map(name -> TypeInUse.find(tx, keyspace.type(name)))
                                .toList())
                        .thenApply(rows -> new Types(
                                names, rows.stream().flatMap(Optional::stream).toList(), true));
            }
            int limit = HealthCheck.TYPES_MAX + 1;
            return TypeInUse.list(tx, keyspace, Optional.empty(), limit)
                    .thenCombine(TypeTimeouts.types(tx, keyspace, limit), (inUse, names) -> {
                        Set<String> all = new LinkedHashSet<>();
                        inUse.forEach(type -> all.add(type.typeName()));
                        all.addAll(names);
                        return new Types(
                                all.stream().limit(HealthCheck.TYPES_MAX).toList(),
                                inUse.stream().limit(HealthCheck.TYPES_MAX).toList(),
                                all.size() <= HealthCheck.TYPES_MAX);
                    });
        }
    }

    /** {@return the notes of the types that the check looks at} */
    private CompletableFuture<List<DescentNote>> descents(ReadTransaction tx, long version, HealthSettings settings) {
        return DescentNote.since(tx, keyspace, version, DESCENTS_OF)
                .thenApply(notes -> notes.stream()
                        .filter(note -> settings.types()
                                .map(types -> types.contains(note.type()))
                                .orElse(true))
                        .toList());
    }

    private CompletableFuture<List<DueJob>> due(ReadTransaction tx, Collection<String> types) {
        Instant now = clock.instant();
        return Futures.listOf(types.stream()
                        .map(type -> queueHeads.first(tx, keyspace.type(type), now))
                        .toList())
                .thenApply(jobs -> jobs.stream()
                        .flatMap(Optional::stream)
                        .sorted(Comparator.comparing(DueJob::dueFor).reversed())
                        .toList());
    }

    private CompletableFuture<Set<String>> paused(ReadTransaction tx, List<DueJob> late) {
        return Futures.listOf(late.stream()
                        .map(job -> ClaimRules.ofClaim(tx, keyspace.type(job.type()))
                                .thenApply(rules ->
                                        rules.pause() == null ? Optional.<String>empty() : Optional.of(job.type())))
                        .toList())
                .thenApply(types -> types.stream().flatMap(Optional::stream).collect(Collectors.toSet()));
    }

    /** {@return the types in use for which no monitor is alive} */
    private CompletableFuture<List<String>> unmonitored(ReadTransaction tx, List<TypeInUse> inUse, long version) {
        return Futures.listOf(inUse.stream()
                        .map(type -> isUnmonitored(tx, type, version)
                                .thenCompose(unmonitored ->
                                        unmonitored ? runsJobs(tx, type) : CompletableFuture.completedFuture(false))
                                .thenApply(unmonitored ->
                                        unmonitored ? Optional.of(type.typeName()) : Optional.<String>empty()))
                        .toList())
                .thenApply(types -> types.stream().flatMap(Optional::stream).toList());
    }

    /**
     * A lease that was not renewed matters if a job of the type runs: otherwise perhaps all processes were stopped. If
     * no process holds the lease, the type may have come into use a moment ago. Then it matters if a job has not sent a
     * heartbeat for so long that a monitor would have put it back.
     */
    private CompletableFuture<Boolean> isUnmonitored(ReadTransaction tx, TypeInUse type, long version) {
        TypeKeys keys = keyspace.type(type.typeName());
        if (type.holder().isPresent()) {
            return version - type.renewedAt() <= silence(type.timeout())
                    ? CompletableFuture.completedFuture(false)
                    : ActivityIndex.isEmpty(tx, keys).thenApply(nothingRuns -> !nothingRuns);
        }
        return ActivityIndex.oldest(tx, keys)
                .thenCombine(
                        TypeTimeouts.getIfReadable(tx, keys),
                        (oldest, timeout) -> oldest.filter(
                                        heartbeat -> version - versionOf(heartbeat) > 2 * silence(timeout))
                                .isPresent());
    }

    /** A row of the activity index stays after its jobs have ended, until a monitor meets it. */
    private CompletableFuture<Boolean> runsJobs(ReadTransaction tx, TypeInUse type) {
        return StateCounters.read(tx, keyspace.type(type.typeName())).thenApply(counts -> counts.running() > 0);
    }

    private static long versionOf(Versionstamp stamp) {
        return ByteBuffer.wrap(stamp.getBytes()).getLong();
    }

    /** {@return how many versions a monitor lets pass at most between two renewals} */
    private static long silence(Optional<Duration> timeout) {
        Duration time = timeout.orElse(TIMEOUT_IF_NONE);
        return (time.compareTo(SILENCE_MIN) > 0 ? time : SILENCE_MIN).toMillis() * VERSIONS_PER_MILLI;
    }

    private CompletableFuture<QuarantinedTables> quarantined(ReadTransaction tx) {
        return TypesWithRows.inQuarantine(keyspace)
                .next(tx, QUARANTINED_TYPES_MAX)
                .thenCompose(page -> {
                    Map<String, CompletableFuture<List<String>>> reads = new LinkedHashMap<>();
                    page.types()
                            .forEach(type -> reads.put(
                                    type, Quarantine.tables(tx, keyspace.type(type), Health.QUARANTINED_MAX)));
                    return Futures.valuesOf(reads).thenApply(tables -> {
                        int found =
                                tables.values().stream().mapToInt(List::size).sum();
                        boolean isMore = page.rest().isPresent() || found > Health.QUARANTINED_MAX;
                        return new QuarantinedTables(isMore ? Health.QUARANTINED_MAX : found, tables);
                    });
                });
    }

    private CompletableFuture<Integer> liveWorkers(ReadTransaction tx) {
        Instant now = clock.instant();
        return workers.list(tx, Optional.empty(), Health.WORKERS_MAX, false).thenApply(rows -> (int) rows.stream()
                .map(workers::readable)
                .flatMap(Optional::stream)
                .filter(worker -> worker.isLive(now))
                .count());
    }
}
