package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Rate;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.faults.TypeRows;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.testing.Seeds;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Limits and rates of a whole type, with several shards or one, while everything goes wrong and the limits change. No
 * commit claims a job beyond the limit, the shards count each job that was claimed under one, and the meters of the
 * parts of the rate count each start.
 */
@Tag("long")
class TypeLimitsUnderFaultsTest {
    private static final JobType<Integer, String> TYPE = JobType.of("simulated", Integer.class, String.class)
            .activityTimeout(Duration.ofSeconds(2))
            .retry(RetryPolicy.standard().attempts(3).backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1)));
    private static final Subspace ROWS = new Subspace(Tuple.from("couch_jobs"));
    private static final byte[] RULES = ROWS.pack(Tuple.from("rules", TYPE.name()));
    private static final byte[] RATE = ROWS.pack(Tuple.from("rate", TYPE.name()));
    private static final Subspace RATE_PARTS = ROWS.subspace(Tuple.from("rate", TYPE.name()));
    private static final Subspace RUNNING = ROWS.subspace(Tuple.from("running", TYPE.name()));
    private static final int IDS = 60;
    private static final int CONCURRENCY = 12;
    private static final int PAUSE_MILLIS = 300;
    private static final String OPERATOR = "operator";
    private static final Duration CHAOS = Duration.ofSeconds(30);
    /** Clocks jump by up to 20 seconds about once a second: a scheduled time may be minutes ahead. */
    private static final Duration CALM = Duration.ofMinutes(20);

    private static boolean hasSeenFullLimit;
    private static boolean hasSeenSeveralShards;
    private static boolean hasSeenPartsOfRate;

    private boolean isOver;

    static LongStream seeds() {
        return Seeds.of(3, 10);
    }

    @AfterAll
    static void limitsWereReachedInSeveralShards() {
        assertThat(hasSeenFullLimit).isTrue();
        assertThat(hasSeenSeveralShards).isTrue();
        assertThat(hasSeenPartsOfRate).isTrue();
    }

    /** To replay one: {@code ./mvnw verify -pl couch-jobs -am -Dtest=TypeLimitsUnderFaultsTest -Dsimulation.seed=N}. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void limitsAreExact(long seed) {
        try (Simulation simulation = EffectHandler.simulation(seed)) {
            Law law = new Law();
            simulation.onCommit(law::look);
            simulation.onDeath(dead -> {
                if (dead.name().equals(OPERATOR)) {
                    operate(simulation);
                } else {
                    EffectHandler.join(simulation, TYPE, CONCURRENCY);
                }
            });
            for (int i = 0; i < 4; i++) {
                EffectHandler.join(simulation, TYPE, CONCURRENCY);
            }
            operate(simulation);
            simulation.advance(CHAOS);
            simulation.calm();
            isOver = true;
            EffectHandler.join(simulation, TYPE, CONCURRENCY);
            simulation.advance(CALM);

            law.check();
            JobCounts counts = simulation.await(
                    EffectHandler.instance(simulation.process("last")).counts(simulation.database(), TYPE));
            assertThat(counts.pending() + counts.running()).isZero();
        }
    }

    private void operate(Simulation simulation) {
        SimulatedProcess process = simulation.process(OPERATOR);
        operate(process, EffectHandler.instance(process));
    }

    /** Makes one change after the other, for as long as the process lives. */
    private void operate(SimulatedProcess process, CouchJobs jobs) {
        if (isOver) {
            return;
        }
        RandomGenerator random = process.random();
        var unused = change(process, jobs, random).whenComplete((done, error) -> {
            process.log("operator: " + error);
            var unusedTimer = process.scheduler()
                    .schedule(() -> operate(process, jobs), random.nextInt(PAUSE_MILLIS), TimeUnit.MILLISECONDS);
        });
    }

    private static CompletableFuture<?> change(SimulatedProcess process, CouchJobs jobs, RandomGenerator random) {
        Database database = process.database();
        return switch (random.nextInt(16)) {
            case 0, 1 -> jobs.limits().setTotal(database, TYPE, 1 + random.nextInt(32));
            case 2 -> jobs.limits().clearTotal(database, TYPE);
            case 3 -> jobs.limits().setRate(database, TYPE, rate(random));
            case 4 -> jobs.limits().clearRate(database, TYPE);
            case 5 -> jobs.remove(database, TYPE, id(random));
            case 6 -> jobs.control().cancel(database, TYPE, id(random), "by the operator");
            default ->
                jobs.addAll(
                        database,
                        IntStream.range(0, 10)
                                .mapToObj(i -> NewJob.of(TYPE, 1).id(id(random)))
                                .toList());
        };
    }

    private static Rate rate(RandomGenerator random) {
        Duration period = Duration.ofMillis(100 + random.nextInt(3_000));
        int starts = 1 + random.nextInt(40);
        return random.nextBoolean()
                ? Rate.perWindow(starts, period)
                : Rate.evenly(starts, period, 1 + random.nextInt(40));
    }

    private static String id(RandomGenerator random) {
        return "job-" + random.nextInt(IDS);
    }

    /** What holds after every commit. */
    private static final class Law {
        private final TypeRows.Reader typeRows = new TypeRows.Reader(new Subspace(), TYPE.name());
        private @Nullable Tuple rulesBefore;
        private Map<String, Object> locksBefore = new HashMap<>();
        private Map<Long, Tuple> metersBefore = new HashMap<>();
        private @Nullable AssertionError broken;

        void look(Database store) {
            try (Transaction tx = store.createTransaction()) {
                byte[] value = tx.get(RULES).join();
                Tuple rules = value == null ? null : Tuple.fromBytes(value);
                TypeRows rows = typeRows.read(tx).join();
                Map<String, Object> locks = new HashMap<>();
                rows.data().forEach((id, row) -> {
                    if (row.lock() != null) {
                        locks.put(id, row.lock());
                    }
                });
                int starts = (int) locks.entrySet().stream()
                        .filter(lock -> !lock.getValue().equals(locksBefore.get(lock.getKey())))
                        .count();
                Map<Long, Tuple> meters = meters(tx);
                if (rules != null && rules.equals(rulesBefore)) {
                    checkTotal(rules, locks.size(), starts);
                    checkStarts(rules, meters, starts);
                }
                List<String> contradictions = rows.contradictions();
                require(contradictions.isEmpty(), "contradictions: " + contradictions);
                hasSeenSeveralShards |=
                        tx.getRange(RUNNING.range()).asList().join().size() > 1;
                hasSeenPartsOfRate |= meters.size() > 1;
                rulesBefore = rules;
                locksBefore = locks;
                metersBefore = meters;
            } catch (AssertionError e) {
                broken = broken == null ? e : broken;
            }
        }

        /** More jobs run than the limit says only after it was lowered, and then no job starts. */
        private static void checkTotal(Tuple rules, int running, int starts) {
            Long max = (Long) rules.get(2);
            require(
                    max == null || running <= max || starts == 0,
                    starts + " jobs started, " + running + " run, and the limit is " + max);
            hasSeenFullLimit |= max != null && max > 16 && running == max && starts > 0;
        }

        /** {@return the rows of the rate, by the numbers of their parts; -1 for the row of the whole} */
        private static Map<Long, Tuple> meters(Transaction tx) {
            Map<Long, Tuple> meters = new HashMap<>();
            byte[] whole = tx.get(RATE).join();
            if (whole != null) {
                meters.put(-1L, Tuple.fromBytes(whole));
            }
            for (KeyValue row : tx.getRange(RATE_PARTS.range()).asList().join()) {
                meters.put(RATE_PARTS.unpack(row.getKey()).getLong(0), Tuple.fromBytes(row.getValue()));
            }
            return meters;
        }

        /** The meters have counted as many starts as there were. */
        private void checkStarts(Tuple rules, Map<Long, Tuple> meters, int starts) {
            if (rules.size() < 4 || rules.get(3) == null) {
                return;
            }
            long max = rules.getLong(3);
            long period = rules.getLong(4) * 1_000;
            long burst = rules.getLong(5);
            long parts = Math.max(1, Math.min(16, (burst == 0 ? max : Math.min(max, burst)) / 8));
            long counted = 0;
            for (Map.Entry<Long, Tuple> meter : meters.entrySet()) {
                boolean isWhole = meter.getKey() < 0;
                require(isWhole ? meters.size() == 1 && parts == 1 : meter.getKey() < parts, "parts: " + meters);
                long share = isWhole ? max : share(max, parts, meter.getKey());
                long full = (isWhole ? burst : share(burst, parts, meter.getKey())) * period;
                Tuple before = metersBefore.get(meter.getKey());
                counted += burst == 0
                        ? startsInWindow(before, meter.getValue(), share)
                        : tokens(before, meter.getValue(), share, full) / period;
            }
            require(counted == starts, starts + " started of " + rules + ": " + meters + " follow " + metersBefore);
        }

        private static long share(long of, long parts, long part) {
            return of / parts + (part < of % parts ? 1 : 0);
        }

        private static long startsInWindow(@Nullable Tuple before, Tuple meter, long max) {
            require(meter.getLong(1) <= max, meter + " is more than " + max);
            boolean isSame = before != null && before.getLong(0) == meter.getLong(0);
            return meter.getLong(1) - (isSame ? Objects.requireNonNull(before).getLong(1) : 0);
        }

        private static long tokens(@Nullable Tuple before, Tuple meter, long share, long full) {
            require(meter.getLong(1) >= 0, meter + " is less than nothing");
            long level = before == null
                    ? full
                    : Math.min(full, before.getLong(1) + (meter.getLong(0) - before.getLong(0)) * share);
            return level - meter.getLong(1);
        }

        private static void require(boolean holds, String otherwise) {
            if (!holds) {
                throw new AssertionError(otherwise);
            }
        }

        void check() {
            if (broken != null) {
                throw broken;
            }
        }
    }
}
