package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsMove;
import dev.couchjobs.JobsMoveException;
import dev.couchjobs.MoveProgress;
import dev.couchjobs.MoveProgress.Phase;
import dev.couchjobs.MoveTotals;
import dev.couchjobs.NewJob;
import dev.couchjobs.OutOfServiceException;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.Polling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Moving the jobs of one database to another, while they are at work. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
abstract class MoveContract {
    private static final JobType<WorkData, WorkData> INDEX = JobType.of("index", WorkData.class, WorkData.class);
    private static final String PLACE = "/etc/foundationdb/fdb.cluster";
    private static final int EFFECTS_MAX = 200;
    private static final String BOOM = "killed";
    private static final String LARGE = "x".repeat(200_000);

    private Database source;
    private Database target;
    private Subspace prefix;
    private CouchJobs jobs;
    private CouchJobs moved;

    abstract Database openSource();

    abstract Database openTarget();

    @BeforeAll
    void openDatabases() {
        target = openTarget();
        awaitTenthOfSecond();
        source = openSource();
    }

    /** Versions are microseconds: so long the target is ahead of a source that is opened then. */
    private void awaitTenthOfSecond() {
        long first = target.read(tx -> tx.getReadVersion().join());
        while (target.read(tx -> tx.getReadVersion().join()) < first + 100_000) {
            Polling.pause();
        }
    }

    @BeforeEach
    void openJobs() {
        prefix = new Subspace(Tuple.from("couch-jobs-move", UUID.randomUUID()));
        jobs = CouchJobs.builder(source).subspace(prefix).build();
        moved = CouchJobs.builder(target).subspace(prefix).build();
        await(jobs.types().setTypeTimeout(source, INDEX, Duration.ofSeconds(1)));
    }

    @AfterEach
    void closeJobs() {
        jobs.close();
        moved.close();
        for (Database each : List.of(source, target)) {
            each.run(tx -> {
                tx.clear(prefix.range());
                return true;
            });
        }
    }

    @AfterAll
    void closeDatabases() {
        source.close();
        target.close();
    }

    private static <T> T await(CompletableFuture<T> future) {
        return Futures.await(future);
    }

    private static Throwable failureOf(CompletableFuture<?> future) {
        return Futures.failureOf(future);
    }

    private JobsMove move() {
        return move(progress -> {});
    }

    private JobsMove move(Consumer<MoveProgress> listener) {
        return JobsMove.of(source, target, PLACE, prefix, listener);
    }

    /** All rows of the jobs but the one that says how they are laid out. */
    private List<KeyValue> rows(Database database) {
        Subspace root = prefix.subspace(Tuple.from("couch_jobs"));
        byte[] layout = root.pack("layout");
        return await(database.readAsync(tx -> tx.getRange(root.range()).asList())).stream()
                .filter(row -> !Arrays.equals(row.getKey(), layout))
                .toList();
    }

    /** Stops a run at some page, as if its process had been killed there. */
    private static Consumer<MoveProgress> killAt(int page) {
        AtomicInteger pages = new AtomicInteger();
        return progress -> {
            if (pages.getAndIncrement() == page) {
                throw new IllegalStateException(BOOM);
            }
        };
    }

    /** {@return whether it came to its end before that page} */
    private boolean finishesBefore(int page) {
        try {
            await(move(killAt(page)).finish());
            return true;
        } catch (CompletionException e) {
            assertThat(e.getCause()).hasMessage(BOOM);
            return false;
        }
    }

    private boolean isInService() {
        return await(jobs.types().getTypes(source).handle((types, error) -> error == null));
    }

    private void addMany(int count) {
        List<NewJob<WorkData>> all = IntStream.range(0, count)
                .mapToObj(i -> NewJob.of(INDEX, new WorkData(i)).id("j" + i))
                .toList();
        await(jobs.addAll(source, all));
    }

    private Job<WorkData> accept(CouchJobs from) {
        return await(from.processor().accept(INDEX, AcceptOptions.defaults().timeout(Duration.ofSeconds(20))))
                .orElseThrow();
    }

    @Test
    void whatIsMovedIsTheSameRowByRow() {
        JobType<String, ?> texts = JobType.of("texts", String.class);
        await(jobs.types().setTypeTimeout(source, texts, Duration.ofMinutes(1)));
        await(jobs.add(source, texts, "large", LARGE));
        addMany(3);
        await(jobs.processor().finish(source, accept(jobs)));
        accept(jobs);

        MoveTotals totals = await(move().finish());

        assertThat(rows(target)).isNotEmpty().isEqualTo(rows(source));
        assertThat(totals.rows()).isEqualTo(rows(source).size());
        assertThat(await(moved.getJobData(target, texts, "large"))).contains(LARGE);
        assertThat(await(moved.types().getTypes(target))).containsExactly("index", "texts");
    }

    @Test
    void manyPagesAreMovedToo() {
        addMany(3_000);
        List<Phase> phases = new ArrayList<>();

        MoveTotals totals = await(move(progress -> phases.add(progress.phase())).finish());

        assertThat(totals.rows()).isGreaterThan(6_000);
        assertThat(rows(target)).isEqualTo(rows(source));
        assertThat(phases).containsSubsequence(Phase.COPYING, Phase.CATCHING_UP, Phase.CHECKING);
        assertThat(phases.stream().filter(Phase.CHECKING::equals)).hasSizeGreaterThan(3);
    }

    @Test
    void theSourceThenSaysWhereTheJobsAre() {
        addMany(1);
        Job<WorkData> held = accept(jobs);
        await(move().finish());

        assertThat(failureOf(jobs.add(source, INDEX, "late", new WorkData(1))))
                .isInstanceOf(OutOfServiceException.class)
                .hasMessageContaining(PLACE);
        assertThat(failureOf(jobs.processor().accept(INDEX))).isInstanceOf(OutOfServiceException.class);
        assertThat(failureOf(jobs.processor().finish(source, held))).isInstanceOf(OutOfServiceException.class);
        assertThat(failureOf(jobs.getJobState(source, INDEX, "j0"))).isInstanceOf(OutOfServiceException.class);
        assertThat(failureOf(move().finish()))
                .isInstanceOf(JobsMoveException.class)
                .hasMessageContaining("the move is done");
    }

    @Test
    void whatRanDuringTheStopRunsAgainInTheTarget() {
        addMany(1);
        Job<WorkData> lost = accept(jobs);

        await(move().finish());

        Job<WorkData> again = accept(moved);
        assertThat(again.id()).isEqualTo(lost.id());
        await(moved.processor().finish(target, again));
        assertThat(await(moved.getJobState(target, INDEX, "j0"))).isEqualTo(JobState.FINISHED);
    }

    @Test
    void jobsAreAddedAndWorkedOnWhileTheyAreMovedAndEachTakesEffectOnce() {
        addMany(EFFECTS_MAX);
        AtomicInteger added = new AtomicInteger(EFFECTS_MAX);
        var unused = worker(jobs);
        Consumer<MoveProgress> addOne = progress -> {
            if (progress.phase() == Phase.COPYING && added.get() < 2 * EFFECTS_MAX) {
                int next = added.getAndIncrement();
                await(jobs.add(source, INDEX, "j" + next, new WorkData(next)));
            }
        };

        await(move(addOne).copy());
        await(move(addOne).finish());
        await(moved.types().setTypeTimeout(target, INDEX, Duration.ofSeconds(1)));
        Worker here = worker(moved);
        for (int i = 0; i < added.get(); i++) {
            moved.result(INDEX, "j" + i, Duration.ofSeconds(30));
        }
        here.close();
        jobs.close(); // at once; Worker.close would wait, because the source no longer takes the ends of jobs

        assertThat(added).hasValueGreaterThan(EFFECTS_MAX);
        for (int i = 0; i < added.get(); i++) {
            assertThat(effects(source, i) + effects(target, i))
                    .as("effects of j" + i)
                    .isOne();
        }
    }

    private Worker worker(CouchJobs of) {
        return of.worker()
                .handle(
                        INDEX,
                        job -> job.finish(tx -> {
                            tx.mutate(MutationType.ADD, effect(job.data().step()), new byte[] {1});
                            return job.data();
                        }))
                .concurrency(2)
                .shutdownTimeout(Duration.ofMillis(100))
                .start();
    }

    private byte[] effect(int step) {
        return prefix.pack(Tuple.from("effects", step));
    }

    private int effects(Database database, int step) {
        return await(database.readAsync(tx -> tx.get(effect(step)).thenApply(value -> value == null ? 0 : value[0])));
    }

    @Test
    void killedAtAnyPageItGoesOnWhereItWas() {
        addMany(400);
        int page = 0;
        int more = 400;
        while (!finishesBefore(page++)) {
            if (isInService()) {
                await(jobs.add(source, INDEX, "j" + more, new WorkData(more++)));
                await(jobs.remove(source, INDEX, "j" + page));
            }
            assertThat(failureOf(moved.types().getTypes(target)))
                    .isInstanceOf(OutOfServiceException.class)
                    .hasMessageContaining("still being copied");
        }

        assertThat(page).isGreaterThan(8);
        assertThat(rows(target)).isNotEmpty().isEqualTo(rows(source));
        assertThat(await(moved.types().getTypes(target))).containsExactly("index");
    }

    @Test
    void killedAtAnyPageItCanBeAborted() {
        addMany(400);
        int page = 0;
        while (!finishesBefore(page++)) {
            await(move().abort());

            await(jobs.add(source, INDEX, "after-" + page, new WorkData(page)));
            assertThat(rows(target)).isEmpty();
            assertThat(await(moved.types().getTypes(target))).isEmpty();
        }

        assertThat(page).isGreaterThan(8);
        assertThat(rows(target)).isNotEmpty().isEqualTo(rows(source));
        assertThat(failureOf(move().abort()))
                .isInstanceOf(JobsMoveException.class)
                .hasMessageContaining("it is done");
    }

    @Test
    void killedAtAnyTransactionNeitherFinishNorAbortLeavesBothSidesInService() {
        addMany(60);
        int most = 0;
        while (!diesAfter(most, JobsMove::finish).isEmpty()) {
            assertNotBothInService();
            if (isInServiceInTarget()) {
                break; // it has died without hearing of its last commit
            }
            diesAfter(most % 8, JobsMove::abort);
            assertNotBothInService();
            String aborted = diesAfter(Integer.MAX_VALUE, JobsMove::abort);
            assertThat(aborted).matches("|.*none has begun.*");
            assertThat(isInService()).as("after %s transactions", most).isTrue();
            assertThat(rows(target)).isEmpty();
            most++;
        }

        assertThat(most).isGreaterThan(20);
        assertThat(isInService()).isFalse();
        assertThat(await(moved.types().getTypes(target))).containsExactly("index");
        assertThat(rows(target)).isEqualTo(rows(source));
    }

    /** {@return why it did not come to its end; empty if it did} */
    private String diesAfter(int transactions, Function<JobsMove, CompletableFuture<?>> deed) {
        AtomicInteger left = new AtomicInteger(transactions);
        JobsMove move = JobsMove.of(
                MortalDatabase.of(source, left), MortalDatabase.of(target, left), PLACE, prefix, progress -> {});
        return await(
                deed.apply(move).handle((value, error) -> error == null ? "" : String.valueOf(error.getMessage())));
    }

    private void assertNotBothInService() {
        assertThat(isInServiceInTarget() && isInService()).isFalse();
    }

    private boolean isInServiceInTarget() {
        return !rows(target).isEmpty() && await(moved.types().getTypes(target).handle((types, error) -> error == null));
    }

    @Test
    void aByteThatChangedOnTheWayIsFoundAndMended() {
        addMany(400);
        AtomicInteger late = new AtomicInteger();
        Consumer<MoveProgress> spoil = progress -> {
            if (progress.phase() == Phase.CATCHING_UP && late.getAndIncrement() == 1) {
                KeyValue first = rows(target).get(0);
                byte[] value = first.getValue().clone();
                value[value.length - 1] ^= 1;
                target.run(tx -> {
                    tx.set(first.getKey(), value);
                    return true;
                });
            }
        };

        assertThat(failureOf(move(spoil).finish()))
                .isInstanceOf(JobsMoveException.class)
                .hasMessageContaining("does not have what the source has");
        assertThat(failureOf(moved.types().getTypes(target))).isInstanceOf(OutOfServiceException.class);

        await(move().finish());
        assertThat(rows(target)).isEqualTo(rows(source));
    }

    @Test
    void aRunThatWasThoughtDeadWritesNothingMore() {
        addMany(400);
        AtomicInteger pages = new AtomicInteger();
        CompletableFuture<MoveTotals> next = new CompletableFuture<>();
        Consumer<MoveProgress> overtaken = progress -> {
            if (pages.getAndIncrement() == 1) {
                next.complete(await(move().finish()));
            }
        };

        assertThat(failureOf(move(overtaken).finish()))
                .isInstanceOf(JobsMoveException.class)
                .hasMessageContaining("Another run of this move has begun");

        assertThat(await(next).rows()).isEqualTo(rows(target).size());
        assertThat(await(moved.types().getTypes(target))).containsExactly("index");
    }

    @Test
    void jobsThatAreInTheTargetAreLeftAlone() {
        addMany(1);
        await(moved.types().setTypeTimeout(target, INDEX, Duration.ofSeconds(1)));
        await(moved.add(target, INDEX, "mine", new WorkData(7)));

        assertThat(failureOf(move().copy()))
                .isInstanceOf(JobsMoveException.class)
                .hasMessageContaining("There are jobs in the target already");
        assertThat(failureOf(move().abort())).isInstanceOf(JobsMoveException.class);

        assertThat(await(moved.getJobState(target, INDEX, "mine"))).isEqualTo(JobState.PENDING);
        assertThat(isInService()).isTrue();
    }

    @Test
    void aTargetTakesTheJobsOfOneSourceOnly() {
        addMany(1);
        await(move().copy());
        try (Database stranger = EmbeddedDatabase.openInMemory()) {
            JobsMove other = JobsMove.of(stranger, target, PLACE, prefix, progress -> {});
            assertThat(failureOf(other.copy()))
                    .isInstanceOf(JobsMoveException.class)
                    .hasMessageContaining("not the two sides of one move");
            assertThat(failureOf(other.abort())).isInstanceOf(JobsMoveException.class);
        }
        assertThat(isInService()).isTrue();
        await(move().finish());
    }
}
