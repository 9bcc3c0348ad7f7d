package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobType;
import dev.couchjobs.Limits;
import dev.couchjobs.NewJob;
import dev.couchjobs.Rate;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.faults.TypeRows;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.testing.Seeds;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Limit keys while everything goes wrong, and while jobs, limits, pauses and rates of keys change. After every commit
 * as many slots are taken as jobs run or may be claimed, no more than the limit, and no job waits while a slot is free,
 * except for a token, or for the next claim, which a request tells to look. A paused key has no free slot, and none of
 * its jobs is claimed until a commit ends its pause. No more jobs of a key start than its rate says.
 */
@Tag("long")
class LimitKeysUnderFaultsTest {
    private static final JobType<Integer, String> TYPE = JobType.of("simulated", Integer.class, String.class)
            .activityTimeout(Duration.ofSeconds(2))
            .retry(RetryPolicy.standard().attempts(3).backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1)));
    private static final Subspace ROWS = new Subspace(Tuple.from("couch_jobs"));
    private static final Subspace JOBS = rows("data");
    private static final Subspace PENDING = rows("pending");
    private static final Subspace RANKED = rows("ranked");
    private static final Subspace WAITING = rows("limited");
    private static final Subspace SLOTS = rows("slots");
    private static final Subspace SLOT_REQUESTS = rows("slot_requests");
    private static final Subspace LIMITS = rows("limits");
    private static final Subspace PAUSED = rows("paused_keys");
    private static final Subspace RATED = rows("rated_keys");
    private static final Subspace METERS = rows("key_rates");
    private static final Subspace TOKEN_WAITS = rows("token_waits");
    private static final byte[] RULES = ROWS.pack(Tuple.from("rules", TYPE.name()));
    private static final int RANKED_TURNS = -1;
    private static final int RANKED_NOW = 0;
    private static final List<String> KEYS = List.of("a", "b");
    private static final int IDS = 12;
    private static final String OPERATOR = "operator";
    private static final Duration CHAOS = Duration.ofSeconds(30);
    /** The last change by the operator has ended by then. */
    private static final Duration LAST_CHANGE_MAX = Duration.ofMinutes(1);
    /** Clocks jump by up to 20 seconds about once a second: a scheduled time may be minutes ahead. */
    private static final Duration CALM = Duration.ofMinutes(20);

    private static boolean hasSeenWaiting;
    private static boolean hasSeenPutBack;
    private static boolean hasSeenTokenWait;

    private boolean isOver;

    private static Subspace rows(String kind) {
        return ROWS.subspace(Tuple.from(kind, TYPE.name()));
    }

    static LongStream seeds() {
        return Seeds.of(4, 14);
    }

    @AfterAll
    static void jobsHaveWaitedForSlotsAndLostThem() {
        assertThat(hasSeenWaiting).isTrue();
        assertThat(hasSeenPutBack).isTrue();
        assertThat(hasSeenTokenWait).isTrue();
    }

    /** To replay one: {@code ./mvnw verify -pl couch-jobs -am -Dtest=LimitKeysUnderFaultsTest -Dsimulation.seed=N}. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void slotsAreExact(long seed) {
        run(seed, 500, LimitKeysUnderFaultsTest::change);
    }

    /** Many jobs of keys without limits, and rates that are about as many. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void startsAreExact(long seed) {
        run(seed, 100, LimitKeysUnderFaultsTest::changeRates);
    }

    /** A change by the operator. */
    private interface Change {
        CompletableFuture<?> apply(SimulatedProcess process, CouchJobs jobs, CouchJobs other, RandomGenerator random);
    }

    private void run(long seed, int pauseMillis, Change change) {
        try (Simulation simulation = EffectHandler.simulation(seed)) {
            Law law = new Law();
            simulation.onCommit(law::look);
            CouchJobs first = EffectHandler.instance(simulation.process("first"));
            if (seed % 2 == 0) {
                simulation.await(first.statuses().index(TYPE));
            }
            Limits limits = first.limits();
            KEYS.forEach(key -> simulation.await(limits.set(simulation.database(), TYPE, key, 1)));
            simulation.onDeath(dead -> {
                if (dead.name().equals(OPERATOR)) {
                    operate(simulation, pauseMillis, change);
                } else {
                    EffectHandler.join(simulation, TYPE, 3);
                }
            });
            EffectHandler.join(simulation, TYPE, 3);
            EffectHandler.join(simulation, TYPE, 3);
            operate(simulation, pauseMillis, change);
            simulation.advance(CHAOS);
            simulation.calm();
            isOver = true;
            EffectHandler.join(simulation, TYPE, 3);
            simulation.advance(LAST_CHANGE_MAX);
            KEYS.forEach(key -> simulation.await(limits.resume(simulation.database(), TYPE, key)));
            simulation.advance(CALM);

            law.check();
            JobCounts counts = simulation.await(
                    EffectHandler.instance(simulation.process("last")).counts(simulation.database(), TYPE));
            assertThat(counts.pending() + counts.running()).isZero();
            law.checkNothingWaits(simulation.database());
            hasSeenWaiting |= law.hasSeenWaiting;
            hasSeenPutBack |= law.hasSeenPutBack;
            hasSeenTokenWait |= law.hasSeenTokenWait;
        }
    }

    private void operate(Simulation simulation, int pauseMillis, Change change) {
        SimulatedProcess process = simulation.process(OPERATOR);
        operate(process, EffectHandler.instance(process), EffectHandler.instance(process), pauseMillis, change);
    }

    /** Makes one change after the other, for as long as the process lives. */
    private void operate(SimulatedProcess process, CouchJobs jobs, CouchJobs other, int pauseMillis, Change change) {
        if (isOver) {
            return;
        }
        RandomGenerator random = process.random();
        var unused = change.apply(process, jobs, other, random).whenComplete((done, error) -> {
            process.log("operator: " + error);
            var unusedTimer = process.scheduler()
                    .schedule(
                            () -> operate(process, jobs, other, pauseMillis, change),
                            random.nextInt(pauseMillis),
                            TimeUnit.MILLISECONDS);
        });
    }

    private static CompletableFuture<?> change(
            SimulatedProcess process, CouchJobs jobs, CouchJobs other, RandomGenerator random) {
        Database database = process.database();
        String key = KEYS.get(random.nextInt(KEYS.size()));
        return switch (random.nextInt(12)) {
            case 0 -> jobs.remove(database, TYPE, id(random));
            case 1 -> jobs.limits().set(database, TYPE, key, 1 + random.nextInt(3));
            case 2 ->
                random.nextInt(4) == 0
                        ? jobs.limits().clear(database, TYPE, key)
                        : database.runAsync(tx -> jobs.add(tx, job(process, key, random))
                                .thenCombine(other.remove(tx, TYPE, id(random)), (added, removed) -> removed));
            case 3 -> jobs.addAll(database, List.of(job(process, key, random), job(process, key, random)));
            case 4 -> jobs.limits().pause(database, TYPE, key);
            case 5 ->
                random.nextInt(4) == 0
                        ? database.runAsync(tx -> jobs.limits()
                                .resume(tx, TYPE, key)
                                .thenCombine(other.add(tx, job(process, key, random)), (resumed, added) -> added))
                        : jobs.limits().resume(database, TYPE, key);
            case 6 -> jobs.limits().setRate(database, TYPE, key, rate(random));
            case 7 ->
                random.nextInt(3) == 0
                        ? jobs.limits().clearRate(database, TYPE, key)
                        : database.runAsync(tx -> other.add(tx, job(process, key, random))
                                .thenCombine(
                                        jobs.limits().setRate(tx, TYPE, key, rate(random)), (added, set) -> added));
            default -> jobs.add(database, job(process, key, random));
        };
    }

    private static CompletableFuture<?> changeRates(
            SimulatedProcess process, CouchJobs jobs, CouchJobs other, RandomGenerator random) {
        Database database = process.database();
        String key = KEYS.get(random.nextInt(KEYS.size()));
        return switch (random.nextInt(20)) {
            case 0 -> jobs.limits().setRate(database, TYPE, key, rate(random));
            case 1 -> jobs.limits().clear(database, TYPE, key);
            case 2, 3, 4 -> jobs.addAll(database, List.of(jobOf(key, random), jobOf(key, random)));
            case 5 -> jobs.remove(database, TYPE, id(random));
            default -> jobs.add(database, jobOf(key, random));
        };
    }

    private static NewJob<Integer> jobOf(String key, RandomGenerator random) {
        return NewJob.of(TYPE, 1)
                .id("of-" + key + "-" + random.nextInt(3 * IDS))
                .limitKey(key);
    }

    private static Rate rate(RandomGenerator random) {
        Duration period = Duration.ofMillis(100 + random.nextInt(3_000));
        int starts = 1 + random.nextInt(3);
        return random.nextBoolean()
                ? Rate.perWindow(starts, period)
                : Rate.evenly(starts, period, 1 + random.nextInt(3));
    }

    private static String id(RandomGenerator random) {
        return "job-" + random.nextInt(IDS);
    }

    private static NewJob<Integer> job(SimulatedProcess process, String key, RandomGenerator random) {
        NewJob<Integer> job = NewJob.of(TYPE, 1).id(id(random)).priority(random.nextInt(4) == 0 ? 1 : 0);
        NewJob<Integer> timed =
                random.nextInt(4) == 0 ? job.at(process.clock().instant().plusSeconds(random.nextInt(4))) : job;
        NewJob<Integer> inTurn = random.nextInt(5) == 0 ? timed.turnKey("turn-" + random.nextInt(2)) : timed;
        return random.nextInt(6) == 0 ? inTurn : inTurn.limitKey(key);
    }

    /** What holds after every commit. */
    private static final class Law {
        private final List<TupleRows<TupleRows.Row>> queues = List.of(
                TupleRows.of(PENDING), TupleRows.of(RANKED.get(RANKED_TURNS)), TupleRows.of(RANKED.get(RANKED_NOW)));
        private final TupleRows<TupleRows.Row> waitingRows = TupleRows.of(WAITING);
        private final TupleRows<TupleRows.Row> limitRows = TupleRows.of(LIMITS);
        private final TupleRows<TupleRows.Row> slotRows = TupleRows.of(SLOTS);
        private final TupleRows<TupleRows.Row> requestRows = TupleRows.of(SLOT_REQUESTS);
        private final TupleRows<TupleRows.Row> meterRows = TupleRows.of(METERS);
        private final TupleRows<TupleRows.Row> pausedRows = TupleRows.of(PAUSED);
        private final TupleRows<TupleRows.Row> ratedRows = TupleRows.of(RATED);
        private final TupleRows<TupleRows.Row> tokenWaits = TupleRows.of(TOKEN_WAITS);
        private final TupleRows<JobRow> jobs = TupleRows.of(JOBS, JobRow::of);
        private final TypeRows.Reader typeRows = new TypeRows.Reader(new Subspace(), TYPE.name());
        private final Map<String, Long> takenBefore = new HashMap<>();
        private final Set<String> pausedBefore = new HashSet<>();
        private Map<String, Object> locksBefore = new HashMap<>();
        private Set<String> queuedBefore = new HashSet<>();
        private boolean hasSeenWaiting;
        private boolean hasSeenPutBack;
        private boolean hasSeenTokenWait;
        private final Map<String, RateLaw> rateLaws = new HashMap<>();
        private @Nullable AssertionError broken;

        /**
         * A job.
         *
         * @param key its limit key, or null if it has none
         * @param lock that of its claim, or null if it does not run
         * @param version that of the commit of the claim, or of its last update
         */
        private record JobRow(
                String id,
                @Nullable String key,
                boolean isPending,
                @Nullable Object lock,
                long version) {
            static JobRow of(TupleRows.Row row) {
                Tuple job = row.value();
                Object lock = job.get(1);
                return new JobRow(
                        row.path().getString(0),
                        limitKey(job),
                        lock == null && job.get(0) != null,
                        lock,
                        job.get(0) instanceof Versionstamp stamp
                                ? ByteBuffer.wrap(stamp.getBytes()).getLong()
                                : 0);
            }
        }

        void look(Database store) {
            try (Transaction tx = store.createTransaction()) {
                Set<String> queued = new HashSet<>();
                queues.forEach(rows -> rows.read(tx).forEach(row -> queued.add(row.last())));
                Map<String, Set<String>> waiting = new HashMap<>();
                waitingRows.read(tx).forEach(row -> {
                    boolean isNew = waiting.computeIfAbsent(row.path().getString(0), key -> new HashSet<>())
                            .add(row.last());
                    require(isNew, () -> row.last() + " waits twice");
                });
                Set<String> waitingKeys = Set.copyOf(waiting.keySet());
                Map<String, Long> holders = new HashMap<>();
                Map<String, List<JobRow>> started = new HashMap<>();
                Map<String, Object> locks = new HashMap<>();
                jobs.read(tx).forEach(job -> {
                    String id = job.id;
                    String key = job.key;
                    boolean waits = key != null
                            && waiting.getOrDefault(key, new HashSet<>()).remove(id);
                    require(!waits || (job.isPending && !queued.contains(id)), () -> id + " waits and does not");
                    if (key != null && (job.lock != null || (job.isPending && queued.contains(id)))) {
                        holders.merge(key, 1L, Long::sum);
                    }
                    hasSeenWaiting |= waits;
                    hasSeenPutBack |= waits && queuedBefore.contains(id) && pausedBefore.contains(key);
                    if (job.lock != null) {
                        locks.put(id, job.lock);
                        boolean hasStarted = !job.lock.equals(locksBefore.get(id));
                        if (key != null && hasStarted) {
                            started.computeIfAbsent(key, each -> new ArrayList<>())
                                    .add(job);
                        }
                        require(
                                !pausedBefore.contains(key) || !hasStarted,
                                () -> id + " was claimed although " + key + " is paused");
                    }
                });
                locksBefore = locks;
                queuedBefore = queued;
                require(
                        waiting.values().stream().allMatch(Set::isEmpty),
                        () -> "jobs that should not wait: " + waiting);
                Map<String, Tuple> limits = byKey(limitRows.read(tx));
                Map<String, Tuple> slots = byKey(slotRows.read(tx));
                Set<String> requested = last(requestRows.read(tx));
                Map<String, Tuple> meters = byKey(meterRows.read(tx));
                KEYS.forEach(key -> check(
                        key,
                        limits.get(key),
                        slots.get(key),
                        waitingKeys.contains(key) && !requested.contains(key),
                        holders.getOrDefault(key, 0L)));
                KEYS.forEach(key -> rateLaws.computeIfAbsent(key, each -> new RateLaw())
                        .check(limits.get(key), meters.get(key), started.getOrDefault(key, List.of())));
                Set<String> rated = last(ratedRows.read(tx));
                checkRates(limits, slots, rated, tokenWaits.read(tx));
                List<String> contradictions = typeRows.read(tx).join().contradictions();
                require(contradictions.isEmpty(), () -> "contradictions: " + contradictions);
                checkPauses(tx, rated);
            } catch (AssertionError e) {
                broken = broken == null ? e : broken;
            }
        }

        private void check(String key, @Nullable Tuple limit, @Nullable Tuple slots, boolean anyWaits, long holders) {
            long taken = slots == null ? 0 : slots.getLong(0);
            boolean isPaused = limit != null && limit.size() > 1 && limit.getBoolean(1);
            long own = limit == null || limit.get(0) == null ? Long.MAX_VALUE : limit.getLong(0);
            long max = isPaused ? 0 : own;
            if (isPaused) {
                pausedBefore.add(key);
            } else {
                pausedBefore.remove(key);
            }
            require(taken == holders, () -> taken + " slots of " + key + " are taken by " + holders + " jobs");
            require(
                    taken <= Math.max(max, takenBefore.getOrDefault(key, 0L)),
                    () -> taken + " slots of " + key + " are taken of " + max);
            boolean waitsForTokens = slots != null && slots.size() > 1;
            hasSeenTokenWait |= waitsForTokens;
            require(!waitsForTokens || (limit != null && limit.size() > 2), () -> key + " has no rate: " + slots);
            require(
                    !anyWaits || taken >= max || waitsForTokens,
                    () -> "a job waits for " + taken + " slots of " + max + " of " + key);
            takenBefore.put(key, taken);
        }

        private void checkPauses(Transaction tx, Set<String> rated) {
            Set<String> listed = last(pausedRows.read(tx));
            require(listed.equals(pausedBefore), () -> listed + " are listed as paused, and " + pausedBefore + " are");
            byte[] stored = tx.get(RULES).join();
            Tuple rules = stored == null ? null : Tuple.fromBytes(stored);
            require(
                    (rules != null && rules.size() > 6 && rules.getBoolean(6)) == !listed.isEmpty()
                            && (rules != null && rules.size() > 7 && rules.getBoolean(7)) == !rated.isEmpty()
                            && (rules == null) == (listed.isEmpty() && rated.isEmpty()),
                    () -> "The rules say the contrary of " + listed + " and " + rated + ": " + rules);
        }

        private static void checkRates(
                Map<String, Tuple> limits, Map<String, Tuple> slots, Set<String> listed, List<TupleRows.Row> indexed) {
            Set<String> rated = new HashSet<>();
            limits.forEach((key, limit) -> {
                if (limit.size() > 2) {
                    rated.add(key);
                }
            });
            Map<String, Long> waits = new HashMap<>();
            slots.forEach((key, taken) -> {
                if (taken.size() > 1) {
                    waits.put(key, taken.getLong(1));
                }
            });
            Map<String, Long> waitsInIndex = new HashMap<>();
            indexed.forEach(row -> waitsInIndex.put(row.last(), row.path().getLong(0)));
            require(listed.equals(rated), () -> listed + " are listed with rates, and " + rated + " have some");
            require(
                    indexed.size() == waits.size() && waitsInIndex.equals(waits),
                    () -> indexed + " are listed to wait for tokens, and " + waits + " do");
        }

        void checkNothingWaits(Database store) {
            try (Transaction tx = store.createTransaction()) {
                assertThat(read(tx, TOKEN_WAITS.range())).isEmpty();
                assertThat(read(tx, SLOTS.range())).isEmpty();
            }
        }

        private static List<KeyValue> read(Transaction tx, Range range) {
            return tx.getRange(range).asList().join();
        }

        private static Map<String, Tuple> byKey(List<TupleRows.Row> rows) {
            Map<String, Tuple> byKey = new HashMap<>();
            rows.forEach(row -> byKey.put(row.last(), row.value()));
            return byKey;
        }

        private static Set<String> last(List<TupleRows.Row> rows) {
            return rows.stream().map(TupleRows.Row::last).collect(Collectors.toSet());
        }

        private static @Nullable String limitKey(Tuple job) {
            int options = 6;
            Tuple nested = job.size() > options && job.get(options) != null ? job.getNestedTuple(options) : null;
            int key = 9;
            return nested == null || nested.size() <= key ? null : nested.getString(key);
        }

        private static void require(boolean holds, Supplier<String> otherwise) {
            if (!holds) {
                throw new AssertionError(otherwise.get());
            }
        }

        void check() {
            if (broken != null) {
                throw broken;
            }
        }
    }

    /** The starts under the rate of one key, by its meter and by the version of the commit. */
    private static final class RateLaw {
        private static final long VERSIONS_OF_CLAIM_MAX = 6_000_000;

        private @Nullable Tuple limitBefore;
        private @Nullable Tuple meterBefore;

        void check(@Nullable Tuple limit, @Nullable Tuple meter, List<Law.JobRow> started) {
            Tuple rate = limit == null || limit.size() < 5 ? null : limit;
            boolean isSame = rate != null
                    && limitBefore != null
                    && rate.popFront().popFront().equals(limitBefore.popFront().popFront());
            Tuple before = isSame ? meterBefore : null;
            // Before a change of the rate in the same batch of commits they do not count.
            if (isSame && !started.isEmpty()) {
                Law.require(meter != null, () -> started.size() + " started, and are not counted");
                checkStarts(Objects.requireNonNull(rate), before, Objects.requireNonNull(meter), started);
            } else {
                Law.require(
                        meter == null || meter.equals(before), () -> meter + " follows " + before + " without a start");
            }
            limitBefore = rate;
            meterBefore = meter;
        }

        private static void checkStarts(Tuple rate, @Nullable Tuple before, Tuple meter, List<Law.JobRow> started) {
            int starts = started.size();
            long version = started.get(0).version();
            long max = rate.getLong(2);
            long period = rate.getLong(3) * 1_000;
            long burst = rate.getLong(4);
            long at = meter.getLong(0);
            long amount = meter.getLong(1);
            Supplier<String> what = () -> started + " started: " + meter + " follows " + before + " of " + rate;
            if (burst == 0) {
                long counted = before != null && before.getLong(0) == at ? before.getLong(1) : 0;
                Law.require(amount == counted + starts && amount <= max, what);
                Law.require(at * period <= version && (at + 1) * period > version - VERSIONS_OF_CLAIM_MAX, what);
            } else {
                long full = burst * period;
                long level = before == null ? full : Math.min(full, before.getLong(1) + (at - before.getLong(0)) * max);
                Law.require(amount == level - starts * period && amount >= 0, what);
                Law.require(at <= version && at > version - VERSIONS_OF_CLAIM_MAX, what);
            }
        }
    }
}
