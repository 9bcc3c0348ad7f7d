package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Batch;
import dev.couchjobs.BatchInfo;
import dev.couchjobs.BatchState;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.testing.Seeds;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Batches while everything goes wrong. After every commit the counters agree with the members, and the closing job of a
 * batch may run only if the batch has closed. In the end all batches have closed.
 */
@Tag("long")
class JobBatchesUnderFaultsTest {
    private static final JobType<Integer, String> TYPE = JobType.of("simulated", Integer.class, String.class)
            .activityTimeout(Duration.ofSeconds(2))
            .retry(RetryPolicy.standard().attempts(3).backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1)));
    private static final Subspace ROWS = new Subspace(Tuple.from("couch_jobs"));
    private static final Subspace JOBS = ROWS.subspace(Tuple.from("data", TYPE.name()));
    private static final Subspace BATCHES = ROWS.subspace(Tuple.from("batches"));
    private static final Subspace COUNTS = ROWS.subspace(Tuple.from("batch_counts"));
    private static final Subspace MEMBERS = ROWS.subspace(Tuple.from("batch_members"));
    private static final List<String> NAMES = List.of("a", "b", "c", "d", "e", "f", "failing");
    /** So few that a batch has often one member or none. */
    private static final int IDS = 4;
    /** How long the operators deal with one batch before the next. */
    private static final Duration TIME_PER_BATCH = Duration.ofSeconds(4);

    private static final List<String> OPERATORS = List.of("operator 1", "operator 2", "operator 3");
    private static final Duration CHAOS = Duration.ofSeconds(30);
    private static final Duration CALM = Duration.ofMinutes(20);

    private boolean isOver;

    static LongStream seeds() {
        return Seeds.of(5, 23);
    }

    /** To replay one: {@code ./mvnw verify -pl couch-jobs -am -Dtest=JobBatchesUnderFaultsTest -Dsimulation.seed=N}. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void batchesCloseWhenTheirMembersHaveEnded(long seed) {
        try (Simulation simulation = EffectHandler.simulation(seed)) {
            Law law = new Law();
            simulation.onCommit(law::look);
            CouchJobs first = EffectHandler.instance(simulation.process("first"));
            NAMES.forEach(name -> simulation.await(first.batches().open(simulation.database(), batch(name))));
            simulation.onDeath(dead -> {
                if (OPERATORS.contains(dead.name())) {
                    operate(simulation, dead.name());
                } else {
                    EffectHandler.join(simulation, TYPE, 2);
                }
            });
            EffectHandler.join(simulation, TYPE, 2);
            EffectHandler.join(simulation, TYPE, 2);
            OPERATORS.forEach(name -> operate(simulation, name));
            simulation.advance(CHAOS);
            simulation.calm();
            isOver = true;
            EffectHandler.join(simulation, TYPE, 2);
            CouchJobs last = EffectHandler.instance(simulation.process("last"));
            NAMES.forEach(name -> simulation.await(last.batches().seal(simulation.database(), name)));
            simulation.advance(CALM);

            law.check();
            for (String name : NAMES) {
                BatchInfo batch = simulation
                        .await(last.batches().get(simulation.database(), name))
                        .orElseThrow();
                assertThat(batch.state()).as(name).isEqualTo(BatchState.CLOSED);
                assertThat(batch.outstanding()).as(name).isZero();
                assertThat(simulation
                                .await(last.getJob(simulation.database(), TYPE, closing(name)))
                                .orElseThrow()
                                .outcome())
                        .as(name)
                        .contains(Outcome.SUCCEEDED);
            }
        }
    }

    private static String closing(String name) {
        return "closing-" + name;
    }

    private static Batch batch(String name) {
        Batch batch =
                Batch.of(name).closing(NewJob.of(TYPE, 1).id(closing(name)).retry(patient()));
        return name.equals("failing") ? batch.closingAtFirstFailure() : batch;
    }

    /** A closing job whose processes die is tried again. */
    private static RetryPolicy patient() {
        return RetryPolicy.standard().attempts(50).backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1));
    }

    private void operate(Simulation simulation, String name) {
        SimulatedProcess process = simulation.process(name);
        operate(simulation, process, EffectHandler.instance(process));
    }

    /** Makes one change after the other, for as long as the process lives. */
    private void operate(Simulation simulation, SimulatedProcess process, CouchJobs jobs) {
        if (isOver) {
            return;
        }
        RandomGenerator random = process.random();
        String batch = NAMES.get((int) (simulation.elapsed().dividedBy(TIME_PER_BATCH) % NAMES.size()));
        var unused = change(process.database(), jobs, batch, random).whenComplete((done, error) -> {
            process.log("operator: " + error);
            var unusedTimer = process.scheduler()
                    .schedule(() -> operate(simulation, process, jobs), random.nextInt(200), TimeUnit.MILLISECONDS);
        });
    }

    private static CompletableFuture<?> change(
            Database database, CouchJobs jobs, String batch, RandomGenerator random) {
        return switch (random.nextInt(12)) {
            case 0, 1, 2 -> jobs.remove(database, TYPE, id(random));
            case 3, 4 -> jobs.control().cancel(database, TYPE, id(random), "on purpose");
            case 5, 6 -> jobs.batches().seal(database, batch);
            case 7 -> jobs.deadLetters().retryAll(TYPE);
            case 8 -> database.runAsync(tx -> atOnce(tx, jobs, batch, random));
            case 9 -> jobs.addAll(database, List.of(member(batch, random), member(batch, random), plain(random)));
            default -> jobs.add(database, member(batch, random));
        };
    }

    /** Several verbs in one transaction, none of which waits for another. */
    private static CompletableFuture<Void> atOnce(
            Transaction tx, CouchJobs jobs, String batch, RandomGenerator random) {
        List<CompletableFuture<?>> verbs = new ArrayList<>();
        for (int left = 2 + random.nextInt(3); left > 0; left--) {
            verbs.add(
                    switch (random.nextInt(5)) {
                        case 4 -> jobs.batches().seal(tx, batch);
                        case 0 -> jobs.remove(tx, TYPE, id(random));
                        case 1 -> jobs.control().cancel(tx, TYPE, id(random), "on purpose");
                        case 2 -> jobs.addAll(tx, List.of(member(batch, random), plain(random)));
                        default -> jobs.add(tx, member(batch, random));
                    });
        }
        return CompletableFuture.allOf(verbs.toArray(CompletableFuture<?>[]::new));
    }

    private static String id(RandomGenerator random) {
        return "job-" + random.nextInt(IDS);
    }

    private static NewJob<Integer> plain(RandomGenerator random) {
        return NewJob.of(TYPE, 1).id(id(random));
    }

    private static NewJob<Integer> member(String batch, RandomGenerator random) {
        return plain(random).batch(batch);
    }

    /** What holds after every commit. */
    private static final class Law {
        private static final int OPTIONS = 6;
        private static final int BATCH = 19;
        /** How the job ended when it ended last. */
        private static final int LAST_END = 8;

        private static final int LANES = 8;

        private final TupleRows<TupleRows.Row> batches = TupleRows.of(BATCHES);
        private final TupleRows<TupleRows.Row> memberRows = TupleRows.of(MEMBERS);
        private final TupleRows<JobRow> jobs = TupleRows.of(JOBS, JobRow::of);
        private Map<String, String> states = new HashMap<>();
        /** The rows of members before the commit: one whose end and addition are in one commit has not ended. */
        private Map<String, Tuple> before = new HashMap<>();

        private @Nullable AssertionError broken;

        /** @param batch the one that it is a member of or closes, or null */
        private record JobRow(
                String id, Tuple row, @Nullable String batch, boolean hasEnded, boolean isClosing, boolean isHeld) {
            static JobRow of(TupleRows.Row row) {
                Tuple job = row.value();
                Tuple options =
                        job.size() > OPTIONS && job.get(OPTIONS) != null ? job.getNestedTuple(OPTIONS) : new Tuple();
                boolean isOfBatch = options.size() > BATCH;
                boolean isClosing = isOfBatch && options.getBoolean(BATCH + 1);
                return new JobRow(
                        row.path().getString(0),
                        job,
                        isOfBatch ? options.getString(BATCH) : null,
                        job.get(0) == null && job.get(1) == null,
                        isClosing,
                        isClosing && options.getBoolean(BATCH + 2));
            }
        }

        void look(Database store) {
            try (Transaction tx = store.createTransaction()) {
                Map<String, String> now = new HashMap<>();
                batches.read(tx)
                        .forEach(row ->
                                now.put(row.path().getString(0), row.value().getString(0)));
                Map<String, Set<String>> outstanding = new HashMap<>();
                Map<String, Tuple> rows = new HashMap<>();
                jobs.read(tx).forEach(job -> look(job, now, outstanding, rows));
                Map<String, Set<String>> members = new HashMap<>();
                memberRows
                        .read(tx)
                        .forEach(row -> members.computeIfAbsent(row.path().getString(0), unused -> new HashSet<>())
                                .add(row.path().getString(2)));
                require(members.equals(outstanding), "members " + members + ", outstanding " + outstanding);
                now.forEach((name, state) -> {
                    long expected = outstanding.getOrDefault(name, Set.of()).size() + (state.equals("open") ? 1L : 0L);
                    require(
                            counted(tx, name) == expected,
                            name + " counts " + counted(tx, name) + ", and has " + expected);
                    boolean hasClosed = state.equals("closed") && !"closed".equals(states.get(name));
                    require(
                            !hasClosed
                                    || name.equals("failing")
                                    || outstanding.getOrDefault(name, Set.of()).stream()
                                            .allMatch(id -> mayHaveEnded(before.get(id), rows.get(id))),
                            name + " has closed with " + outstanding);
                });
                states = now;
                before = rows;
            } catch (AssertionError e) {
                broken = broken == null ? e : broken;
            }
        }

        /** {@return whether an outstanding member may have ended in the commit, and been added again} */
        private static boolean mayHaveEnded(@Nullable Tuple before, @Nullable Tuple now) {
            if (before == null) {
                return now != null && now.size() > LAST_END && now.get(LAST_END) != null;
            }
            return !before.equals(now);
        }

        private static void look(
                JobRow job, Map<String, String> states, Map<String, Set<String>> outstanding, Map<String, Tuple> rows) {
            String batch = job.batch;
            if (batch == null) {
                return;
            }
            rows.put(job.id, job.row);
            if (job.hasEnded) {
                return;
            }
            if (job.isClosing) {
                require(
                        job.isHeld == !"closed".equals(states.get(batch)),
                        job.id + " is held: " + job.isHeld + ", and its batch is " + states.get(batch));
            } else {
                outstanding.computeIfAbsent(batch, unused -> new HashSet<>()).add(job.id);
            }
        }

        private static long counted(Transaction tx, String name) {
            BigInteger sum = BigInteger.ZERO;
            for (KeyValue shard : read(tx, COUNTS.subspace(Tuple.from(name)).range())) {
                List<Byte> bytes = new ArrayList<>();
                for (byte each : shard.getValue()) {
                    bytes.add(each);
                }
                Collections.reverse(bytes);
                byte[] number = new byte[LANES * Long.BYTES];
                for (int i = 0; i < number.length; i++) {
                    number[i] = bytes.get(i);
                }
                sum = sum.add(new BigInteger(number));
            }
            return sum.longValue();
        }

        private static List<KeyValue> read(Transaction tx, Range range) {
            return tx.getRange(range).asList().join();
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
