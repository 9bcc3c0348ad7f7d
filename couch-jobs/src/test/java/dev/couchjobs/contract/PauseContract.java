package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The pause of a type: nothing claims its jobs, in any process, and nothing is lost. */
class PauseContract extends JobsContract {
    private static final JobType<WorkData, Void> WORK = JobType.of(INDEX.name(), WorkData.class);

    private void pause() {
        await(jobs.types().pause(database, INDEX, "deploying"));
    }

    private void resume() {
        await(jobs.types().resume(database, INDEX));
    }

    @Test
    void noJobOfAPausedTypeIsClaimed() {
        add("j1", 1);

        pause();
        add("j2", 2);

        assertThat(tryAccept()).isEmpty();
        assertThat(await(node().processor().accept(INDEX, AcceptOptions.nonBlocking())))
                .isEmpty();
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        resume();
        assertThat(List.of(accept().id(), accept().id())).containsExactlyInAnyOrder("j1", "j2");
    }

    @Test
    void otherTypesGoOn() {
        pause();
        await(jobs.add(database, MAIL, "m1", new WorkData(1)));

        assertThat(await(jobs.processor().accept(MAIL)).orElseThrow().id()).isEqualTo("m1");
    }

    @Test
    void whatRunsMayFinish() {
        Job<WorkData> job = accepted("j1", 1);

        pause();

        await(jobs.processor().update(database, job));
        await(jobs.processor().finish(database, job));
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aClaimThatBeganBeforeThePauseDoesNotCommitAfterIt() {
        add("j1", 1);
        CompletableFuture<Void> paused = new CompletableFuture<>();
        Database pausing = DatabaseProxies.to(Database.class, (self, method, arguments) -> {
            Object result = DatabaseProxies.invoke(database, method, arguments);
            return result instanceof Transaction tx ? pausingBeforeCommit(tx, paused) : result;
        });
        CouchJobs other = node(pausing, Environment.system());

        Optional<Job<WorkData>> claimed = await(other.processor().accept(INDEX, AcceptOptions.nonBlocking()));

        assertThat(paused).isDone();
        assertThat(claimed).isEmpty();
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
    }

    private Transaction pausingBeforeCommit(Transaction tx, CompletableFuture<Void> paused) {
        return DatabaseProxies.to(
                Transaction.class,
                (self, method, arguments) -> method.getName().equals("commit")
                        ? pauseOnce(tx, paused).thenCompose(done -> tx.commit())
                        : DatabaseProxies.invoke(tx, method, arguments));
    }

    /** Pauses the type if the transaction has claimed the job. */
    private CompletableFuture<Void> pauseOnce(Transaction tx, CompletableFuture<Void> paused) {
        return jobs.getJobState(tx.snapshot(), INDEX, "j1")
                .thenCompose(state -> state == JobState.RUNNING && paused.complete(null)
                        ? jobs.types().pause(database, INDEX, "deploying")
                        : CompletableFuture.completedFuture(null));
    }

    @Test
    void processesThatWaitClaimWhenThePauseEnds() {
        pause();
        add("j1", 1);
        add("j2", 2);
        List<CompletableFuture<Optional<Job<WorkData>>>> waiting = IntStream.range(0, 2)
                .mapToObj(i -> node().processor().accept(INDEX))
                .toList();

        resume();

        assertThat(waiting.stream().map(accept -> await(accept).orElseThrow().id()))
                .containsExactlyInAnyOrder("j1", "j2");
    }

    @Test
    void aProcessThatWaitedBeforeThePauseFindsTheJobsThatWereAddedMeanwhile() {
        CompletableFuture<Optional<Job<WorkData>>> waiting = node().processor().accept(INDEX);
        pause();
        add("j1", 1);

        resume();

        assertThat(await(waiting).orElseThrow().id()).isEqualTo("j1");
    }

    @Test
    void aWorkerGoesOnAfterThePause() {
        try (Worker worker = node().worker().process(WORK, job -> {}).start()) {
            assertThat(worker).isNotNull();
            add("j1", 1);
            jobs.result(WORK, "j1", LONG);
            pause();
            add("j2", 2);
            resume();
            jobs.result(WORK, "j2", LONG);
        }
    }

    @Test
    void aTypeIsPausedAgainAndResumedAgainWithoutError() {
        pause();
        await(jobs.types().pause(database, INDEX, "still deploying"));
        assertThat(await(jobs.types().getPause(database, INDEX)).orElseThrow().reason())
                .isEqualTo("still deploying");

        resume();
        resume();

        assertThat(await(jobs.types().getPause(database, INDEX))).isEmpty();
        add("j1", 1);
        assertThat(accept().id()).isEqualTo("j1");
    }

    @Test
    void thePauseSaysSinceWhenAndWhy() {
        SettableClock clock = new SettableClock(NOON);
        CouchJobs timed = node(clock);

        await(timed.types().pause(database, INDEX, "deploying"));

        assertThat(await(jobs.types().getPause(database, INDEX))).hasValueSatisfying(pause -> {
            assertThat(pause.since()).isEqualTo(NOON);
            assertThat(pause.reason()).isEqualTo("deploying");
        });
        assertThat(await(jobs.types().getPause(database, MAIL))).isEmpty();
    }

    @Test
    void aPauseJoinsTheCallersTransaction() {
        add("j1", 1);

        try (Transaction tx = database.createTransaction()) {
            await(jobs.types().pause(tx, INDEX, "not committed"));
        }

        assertThat(accept().id()).isEqualTo("j1");
    }

    @Test
    void aDamagedPauseIsAPauseThatEndsWithResumption() {
        add("j1", 1);
        pause();
        commit(tx -> tx.set(prefix.pack(Tuple.from("couch_jobs", "rules", "index")), new byte[] {1, 2}));

        assertThat(tryAccept()).isEmpty();
        assertThat(failureOf(jobs.types().getPause(database, INDEX))).isInstanceOf(UndecodableRowException.class);
        resume();

        assertThat(accept().id()).isEqualTo("j1");
    }

    @Test
    void theRestOfTheVerbsIsNotPaused() {
        pause();
        add("j1", 1);
        add("j2", 2);

        assertThat(await(jobs.control().cancel(database, INDEX, "j1", "not needed")))
                .isTrue();
        assertThat(await(jobs.remove(database, INDEX, "j2"))).isTrue();
        longLeases(INDEX);
        assertThat(await(jobs.counts(database, INDEX)).pending()).isZero();
    }

    @Test
    void aScheduledJobThatBecomesDueDuringThePauseWaits() {
        SettableClock clock = new SettableClock(NOON);
        CouchJobs timed = node(clock);
        addAt("j1", 1, NOON.plusSeconds(1));
        pause();
        clock.advance(Duration.ofSeconds(2));
        assertThat(await(timed.processor().accept(INDEX, AcceptOptions.nonBlocking())))
                .isEmpty();

        resume();

        assertThat(await(timed.processor().accept(INDEX)).orElseThrow().id()).isEqualTo("j1");
    }
}
