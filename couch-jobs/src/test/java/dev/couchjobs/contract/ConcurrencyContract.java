package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.MutationType;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.AddResult;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Features A1 to A9 with many callers on several nodes at once, and with nodes that die. */
class ConcurrencyContract extends JobsContract {
    /** For races that come out differently from one time to the next: each is run with several jobs. */
    private static final List<String> TEN_IDS =
            IntStream.range(0, 10).mapToObj(i -> "j" + i).toList();

    private List<CouchJobs> nodes() {
        return List.of(jobs, node(), node(), node());
    }

    private static boolean isDoneOrHalted(CompletableFuture<Void> verb) {
        await(verb.handle((done, error) -> true));
        return !verb.isCompletedExceptionally() || failureOf(verb) instanceof JobHaltedException;
    }

    @Test
    void ofManyAcceptorsOneGetsTheJob() {
        List<CouchJobs> nodes = nodes();
        add("j1", 1);

        List<CompletableFuture<Optional<Job<WorkData>>>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            nodes.forEach(node -> calls.add(node.processor().accept(INDEX, AcceptOptions.nonBlocking())));
        }

        assertThat(calls.stream().filter(call -> await(call).isPresent())).hasSize(1);
    }

    @Test
    void ofManyWhoWaitOneGetsEachJob() {
        List<CompletableFuture<Optional<Job<WorkData>>>> calls = new ArrayList<>();
        nodes().forEach(node ->
                IntStream.range(0, 50).forEach(i -> calls.add(node.processor().accept(INDEX))));

        for (int batch = 0; batch < 20; batch++) {
            int first = batch * 10;
            commit(tx -> IntStream.range(first, first + 10)
                    .forEach(i -> await(jobs.add(tx, INDEX, "j" + i, new WorkData(i)))));
        }

        assertThat(calls.stream().map(call -> await(call).orElseThrow().data().step()))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 200).boxed().toList());
        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void withoutScheduleManyTakeEachJobOnceToo() {
        addMany(100);

        AcceptOptions noSchedule = AcceptOptions.defaults().noSchedule();
        List<CompletableFuture<Optional<Job<WorkData>>>> calls = new ArrayList<>();
        nodes().forEach(node ->
                IntStream.range(0, 25).forEach(i -> calls.add(node.processor().accept(INDEX, noSchedule))));

        assertThat(calls.stream().map(call -> await(call).orElseThrow().data().step()))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 100).boxed().toList());
    }

    @Test
    void theFencedWritesOfManyProcessorsHappenOncePerJob() {
        byte[] counter = prefix.pack("counter");
        byte[] one =
                ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(1).array();
        addMany(100);

        List<CompletableFuture<Void>> work = new ArrayList<>();
        nodes().forEach(node -> IntStream.range(0, 25)
                .forEach(i -> work.add(node.processor()
                        .accept(INDEX)
                        .thenCompose(job -> database.runAsync(tx -> {
                            tx.mutate(MutationType.ADD, counter, one);
                            return node.processor().finish(tx, job.orElseThrow());
                        })))));
        work.forEach(JobsContract::await);

        byte[] count = await(database.readAsync(tx -> tx.get(counter)));
        assertThat(ByteBuffer.wrap(count).order(ByteOrder.LITTLE_ENDIAN).getLong())
                .isEqualTo(100);
    }

    @Test
    void manyWhoAddOneJobAddItOnce() {
        List<CompletableFuture<AddResult>> adds = new ArrayList<>();
        nodes().forEach(node ->
                IntStream.range(0, 10).forEach(i -> adds.add(node.add(database, INDEX, "j1", new WorkData(i)))));
        adds.forEach(JobsContract::await);

        accept();
        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void aJobAddedWhileItIsFinishedRunsOnceMore() {
        CouchJobs other = node();
        for (String id : TEN_IDS) {
            Job<WorkData> job = accepted(id, 1);

            CompletableFuture<Void> finishing = jobs.processor().finish(database, job);
            CompletableFuture<AddResult> adding = other.add(database, INDEX, id, new WorkData(2));
            await(finishing);
            await(adding);

            assertThat(stateOf(id)).isEqualTo(JobState.PENDING);
            await(jobs.processor().finish(database, accept()));
            assertThat(stateOf(id)).isEqualTo(JobState.FINISHED);
        }
    }

    @Test
    void aJobRemovedWhileItIsFinishedIsGone() {
        CouchJobs other = node();
        for (String id : TEN_IDS) {
            Job<WorkData> job = accepted(id, 1);

            CompletableFuture<Void> finishing = jobs.processor().finish(database, job);
            CompletableFuture<Boolean> removing = other.remove(database, INDEX, id);

            assertThat(await(removing)).isTrue();
            assertThat(isDoneOrHalted(finishing)).isTrue();
            assertThat(stateOf(id)).isEqualTo(JobState.NOT_FOUND);
        }
    }

    @Test
    void aJobRemovedWhileItIsAcceptedIsGone() {
        CouchJobs other = node();
        for (String id : TEN_IDS) {
            add(id, 1);

            CompletableFuture<Optional<Job<WorkData>>> accepting =
                    other.processor().accept(INDEX, AcceptOptions.nonBlocking());
            assertThat(await(jobs.remove(database, INDEX, id))).isTrue();

            await(accepting)
                    .ifPresent(job -> assertThat(failureOf(other.processor().finish(database, job)))
                            .isInstanceOf(JobHaltedException.class));
            assertThat(stateOf(id)).isEqualTo(JobState.NOT_FOUND);
        }
    }

    @Test
    void aStolenLockStopsTheOldHolder() {
        Job<WorkData> mine = accepted("j1", 1);

        awaitSilence(INDEX, List.of(subscribe("j1")));
        Job<WorkData> theirs = await(node().processor().accept(INDEX)).orElseThrow();

        assertThat(theirs.id()).isEqualTo("j1");
        assertThat(theirs.lock()).isNotEqualTo(mine.lock());
        assertThat(failureOf(jobs.processor().update(database, mine))).isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(jobs.processor().finish(database, mine, new WorkData(9))))
                .isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(jobs.processor().resubmit(database, mine))).isInstanceOf(JobHaltedException.class);
        await(jobs.processor().finish(database, theirs, new WorkData(2)));
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(stepOf("j1")).isEqualTo(2);
    }

    @Test
    void theJobsOfANodeThatDiesComeBackOnAnother() {
        ScheduledExecutorService timers = Executors.newScheduledThreadPool(1);
        CouchJobs dying = node(
                new Environment(Clock.systemUTC(), timers, Environment.system().random()));
        IntStream.range(0, 5).forEach(i -> add("j" + i, i));
        Set<String> lost = new HashSet<>();
        IntStream.range(0, 5)
                .forEach(i -> lost.add(
                        await(dying.processor().accept(INDEX)).orElseThrow().id()));
        CompletableFuture<Optional<Job<WorkData>>> waiting = dying.processor().accept(INDEX);
        assertThat(await(dying.processor().accept(INDEX, AcceptOptions.nonBlocking())))
                .isEmpty();

        timers.shutdownNow();

        awaitSilence(INDEX, lost.stream().map(this::subscribe).toList());
        Set<String> back = new HashSet<>();
        IntStream.range(0, 5)
                .forEach(i -> back.add(
                        await(jobs.processor().accept(INDEX)).orElseThrow().id()));
        assertThat(back).isEqualTo(lost);
        assertThat(waiting).isNotDone();
    }
}
