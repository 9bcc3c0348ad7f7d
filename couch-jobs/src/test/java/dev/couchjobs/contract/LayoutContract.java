package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.IncompatibleLayoutException;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Unique;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The row that says how the others are laid out: what code does that finds an earlier, a later or an unknown layout.
 */
class LayoutContract extends JobsContract {
    private static final int CONFLICT = 1020;
    private static final Tuple LATER_BUT_KNOWN = Tuple.from(70, 1, 1);
    private static final Tuple TO_BE_READ = Tuple.from(70, 1, 70);
    private static final Tuple UNKNOWN = Tuple.from(70, 60, 70);

    private StoredRows rows;

    @BeforeEach
    void openRows() {
        rows = new StoredRows(database, prefix);
    }

    private void put(Tuple layout) {
        rows.put(layout, "layout");
    }

    private void clear() {
        commit(tx -> tx.clear(rows.key("layout")));
    }

    private Map<Tuple, Tuple> everything() {
        Map<Tuple, Tuple> all = new HashMap<>();
        List<KeyValue> found =
                await(database.readAsync(tx -> tx.getRange(prefix.range()).asList()));
        found.forEach(row -> all.put(Tuple.from(row.getKey()), Tuple.from(row.getValue())));
        return all;
    }

    @Test
    void verbsOfOneTransactionThatUseFeaturesNeedNotWaitForEachOther() {
        await(database.runAsync(tx -> {
            var tagged = jobs.add(tx, NewJob.of(INDEX, new WorkData(1)).tags("eu"));
            var unique = jobs.add(tx, NewJob.of(INDEX, new WorkData(1)).unique(Unique.by("key")));
            var inTurn = jobs.add(tx, NewJob.of(INDEX, new WorkData(1)).turnKey("tenant-7"));
            return CompletableFuture.allOf(tagged, unique, inTurn);
        }));

        assertThat(rows.value("layout")).contains(1L << 11 | 1L << 5 | 1L << 6);
    }

    @Test
    void theFirstToSetATimeoutSaysWhichLayoutItIs() {
        assertThat(rows.value("layout")).containsExactly(1L, 1L, 1L);
    }

    @Test
    void rowsThatDoNotSayAreOfTheFirstLayout() {
        clear();

        Job<WorkData> job = accepted("j1", 1);
        await(jobs.processor().finish(database, job));

        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(rows.isThere("layout")).isFalse();
        await(jobs.types().setTypeTimeout(database, MAIL, Duration.ofMinutes(5)));
        assertThat(rows.value("layout")).containsExactly(1L, 1L, 1L);
    }

    @Test
    void aLaterLayoutThatThisCodeMayUseIsUsedAndLeftAsItIs() {
        put(LATER_BUT_KNOWN);

        await(jobs.processor().finish(database, accepted("j1", 1)));
        await(jobs.types().setTypeTimeout(database, MAIL, Duration.ofMinutes(5)));

        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(rows.value("layout")).containsExactly(70L, 1L, 1L);
    }

    @Test
    void whatALaterLayoutLetsBeReadCanBeReadAndNotWritten() {
        Job<WorkData> job = accepted("j1", 1);
        add("j2", 2);
        put(TO_BE_READ);
        Map<Tuple, Tuple> before = everything();

        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
        assertThat(all(database, INDEX)).hasSize(2);
        List<Supplier<CompletableFuture<?>>> verbs = List.of(
                () -> jobs.add(database, INDEX, "j3", new WorkData(3)),
                () -> jobs.remove(database, INDEX, "j2"),
                () -> jobs.processor().accept(INDEX),
                () -> jobs.processor().update(database, job),
                () -> jobs.processor().update(database, job, new WorkData(4)),
                () -> jobs.processor().resubmit(database, job),
                () -> jobs.processor().finish(database, job),
                () -> jobs.types().setTypeTimeout(database, MAIL, Duration.ofMinutes(5)));
        for (Supplier<CompletableFuture<?>> verb : verbs) {
            assertThat(failureOf(verb.get()))
                    .isInstanceOf(IncompatibleLayoutException.class)
                    .hasMessageContaining("key layout 70")
                    .hasMessageContaining("written by code that knows layout 70 or later")
                    .hasMessageContaining("Run the version");
        }
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void aLayoutThatIsNotKnownIsNotRead() {
        add("j1", 1);
        rows.put(Tuple.from("rows of another kind"), "data", "index", "j1");
        put(UNKNOWN);

        assertThat(failureOf(jobs.getJobState(database, INDEX, "j1")))
                .isInstanceOfSatisfying(
                        IncompatibleLayoutException.class,
                        refusal -> assertThat(refusal.layout()).isEqualTo(70))
                .hasMessageContaining("read by code that knows layout 60 or later");
        assertThat(failureOf(jobs.add(database, INDEX, "j1", new WorkData(1))))
                .isInstanceOf(IncompatibleLayoutException.class);
    }

    private static List<byte[]> damagedRows() {
        return List.of(
                new byte[0],
                new byte[] {0x7F},
                new byte[] {2, 'a'},
                Tuple.from("1", 1, 1).pack(),
                Tuple.from(1).pack(),
                Tuple.from(1, 1, "x").pack(),
                Tuple.from(0, 0, 0).pack(),
                Tuple.from(1, -1, 1).pack(),
                Tuple.from(1, 1, 1, 2, 3, 4).pack(),
                Tuple.from(12, 1, 12, "", "", "", "x").pack());
    }

    @Test
    void aDamagedLayoutIsNamedByEachVerb() {
        Job<WorkData> job = accepted("j1", 1);
        List<Supplier<CompletableFuture<?>>> verbs = List.of(
                () -> jobs.getJobState(database, INDEX, "j1"),
                () -> jobs.counts(database, INDEX),
                () -> jobs.types().getPause(database, INDEX),
                () -> jobs.add(database, INDEX, "j3", new WorkData(3)),
                () -> jobs.add(database, NewJob.of(INDEX, new WorkData(3)).tags("eu")),
                () -> jobs.remove(database, INDEX, "j1"),
                () -> node().processor().accept(INDEX), // one that has failed before would back off
                () -> jobs.processor().finish(database, job),
                () -> jobs.types().resume(database, INDEX),
                () -> jobs.types().setTypeTimeout(database, MAIL, Duration.ofMinutes(5)));
        for (byte[] damaged : damagedRows()) {
            rows.putBytes(rows.key("layout"), damaged);
            Map<Tuple, Tuple> before = everything();
            for (int i = 0; i < verbs.size(); i++) {
                assertThat(failureOf(verbs.get(i).get()))
                        .as("verb %s, %s", i, ByteArrayUtil.printable(damaged))
                        .isInstanceOf(IncompatibleLayoutException.class)
                        .hasMessageContainingAll("cannot be decoded", ByteArrayUtil.printable(rows.key("layout")));
            }
            try (Transaction tx = database.createTransaction()) {
                assertThat(failureOf(jobs.add(tx, INDEX, "j4", new WorkData(1))))
                        .isInstanceOf(IncompatibleLayoutException.class);
                assertThat(failureOf(tx.commit())).isInstanceOf(FDBException.class);
            }
            assertThat(everything()).isEqualTo(before);
            assertThat(await(jobs.health().check()).reasons().toString()).contains("cannot be decoded");
        }

        put(Tuple.from(18, 18, 18)); // as the error says
        await(jobs.processor().finish(database, job));
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void whatBeganBeforeAnUpgradeDoesNotCommitBehindIt() {
        try (Transaction tx = database.createTransaction()) {
            await(jobs.add(tx, INDEX, "j1", new WorkData(1)));
            put(UNKNOWN);

            assertThat(failureOf(tx.commit()))
                    .isInstanceOfSatisfying(
                            FDBException.class,
                            error -> assertThat(error.getCode()).isEqualTo(CONFLICT));
        }
    }

    @Test
    void aCallerWhoDoesNotLookAtTheAnswerWritesNothing() {
        put(UNKNOWN);

        try (Transaction tx = database.createTransaction()) {
            tx.set(key("result"), new byte[0]);
            assertThat(failureOf(jobs.add(tx, INDEX, "j1", new WorkData(1))))
                    .isInstanceOf(IncompatibleLayoutException.class);
            assertThat(failureOf(tx.commit())).isInstanceOf(FDBException.class);
        }
        assertThat(isWritten("result")).isFalse();
    }

    @Test
    void aHandlerThatRunsDuringAnUpgradeWritesNothingMore() {
        CompletableFuture<Throwable> refusal = new CompletableFuture<>();
        JobType<WorkData, WorkData> type = JobType.of("worked", WorkData.class, WorkData.class);
        await(jobs.types().setTypeTimeout(database, type, Duration.ofMinutes(10)));
        await(jobs.add(database, type, "j1", new WorkData(1)));

        Worker worker = jobs.worker()
                .handle(type, job -> {
                    put(UNKNOWN);
                    try {
                        job.run(tx -> {
                            tx.set(key("result"), new byte[0]);
                            return true;
                        });
                    } catch (IncompatibleLayoutException e) {
                        refusal.complete(e);
                    }
                    return job.data();
                })
                .start();

        assertThat(await(refusal)).hasMessageContaining("key layout 70");
        assertThat(isWritten("result")).isFalse();
        clear();
        worker.close();
        assertThat(isWritten("result")).isFalse();
    }
}
