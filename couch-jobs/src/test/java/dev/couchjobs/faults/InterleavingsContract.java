package dev.couchjobs.faults;

import static dev.couchjobs.JobState.FINISHED;
import static dev.couchjobs.JobState.NOT_FOUND;
import static dev.couchjobs.JobState.PENDING;
import static dev.couchjobs.JobState.RUNNING;
import static dev.couchjobs.faults.Scene.LONG;
import static dev.couchjobs.faults.Scene.MAIL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.NewJob;
import dev.couchjobs.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A commit happens, its caller is not told so, and before it tries again others go on from what was committed. */
abstract class InterleavingsContract extends FaultsContract {
    @SuppressWarnings("NullAway.Init")
    private Scene scene;

    @BeforeEach
    void setTheScene() {
        scene = new Scene(stage);
    }

    @AfterEach
    void leaveTheScene() {
        assertThat(scene.rows().contradictions()).isEmpty();
        scene.close();
    }

    private Script unknownButCommitted() {
        return scene.script.next(Fault.UNKNOWN_BUT_COMMITTED);
    }

    private void add(String data) {
        scene.await(scene.jobs.add(scene.faulty, MAIL, "a", data));
    }

    @Test
    void aNewJobThatAnotherHasRunMeanwhileIsNotAddedAgain() {
        unknownButCommitted().meanwhile(scene::claimAndFinish);

        add("new");

        assertThat(scene.state("a")).isEqualTo(FINISHED);
        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED);
        assertThat(scene.runs()).isZero();
    }

    @Test
    void aFinishedJobThatAnotherHasRunOnceMoreMeanwhileIsNotAddedAgain() {
        CreationVerbs.finished(scene);
        unknownButCommitted().meanwhile(scene::claimAndFinish);

        add("new");

        assertThat(scene.data("a")).contains("new");
        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED, PENDING, RUNNING, FINISHED);
    }

    @Test
    void jobsThatWereAddedTogetherAndHaveRunMeanwhileAreNotAddedAgain() {
        unknownButCommitted().meanwhile(() -> scene.claimAndFinish().thenCompose(first -> scene.claimAndFinish()));

        scene.await(scene.jobs.addAll(
                scene.faulty,
                List.of(NewJob.of(MAIL, "new").id("a"), NewJob.of(MAIL, "new").id("b"))));

        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED);
        assertThat(scene.changesOf("b")).containsExactly(PENDING, RUNNING, FINISHED);
    }

    @Test
    void aRunningJobThatIsFinishedAndRunMeanwhileIsNotFlaggedAgain() {
        Job<String> job = CreationVerbs.running(scene);
        unknownButCommitted()
                .meanwhile(() ->
                        scene.others.finish(scene.database(), job).thenCompose(finished -> scene.claimAndFinish()));

        add("new");

        assertThat(scene.state("a")).isEqualTo(FINISHED);
        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, RUNNING, PENDING, RUNNING, FINISHED);
    }

    @Test
    void aJobThatWasAddedAndIsRemovedMeanwhileStaysRemoved() {
        unknownButCommitted().meanwhile(() -> scene.others.remove(scene.database(), MAIL, "a"));

        add("new");

        assertThat(scene.state("a")).isEqualTo(NOT_FOUND);
        assertThat(scene.changesOf("a")).containsExactly(PENDING, NOT_FOUND);
    }

    @Test
    void aJobThatWasRemovedAndIsAddedMeanwhileIsNotRemovedAgain() {
        scene.added("a", "old");
        unknownButCommitted().meanwhile(() -> scene.others.add(scene.database(), MAIL, "a", "new"));

        boolean found = scene.await(scene.jobs.remove(scene.faulty, MAIL, "a"));

        assertThat(found).isTrue();
        assertThat(scene.data("a")).contains("new");
    }

    @Test
    void aFinishSucceedsThoughTheJobIsAnothersByThen() {
        Job<String> job = CreationVerbs.running(scene);
        AtomicReference<Optional<Job<String>>> next = new AtomicReference<>(Optional.empty());
        unknownButCommitted()
                .meanwhile(() -> scene.others
                        .add(scene.database(), MAIL, "a", "again")
                        .thenCompose(added -> scene.claim())
                        .thenAccept(next::set));

        scene.await(scene.jobs.finish(scene.faulty, job));

        assertThat(scene.state("a")).isEqualTo(RUNNING);
        scene.await(scene.others.finish(
                scene.database(),
                Optional.ofNullable(next.get()).flatMap(n -> n).orElseThrow()));
        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED, PENDING, RUNNING, FINISHED);
    }

    @Test
    void aFinishSucceedsThoughTheJobIsGoneByThen() {
        Job<String> job = CreationVerbs.running(scene);
        unknownButCommitted().meanwhile(() -> scene.others.remove(scene.database(), MAIL, "a"));

        scene.await(scene.jobs.finish(scene.faulty, job));

        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED, NOT_FOUND);
    }

    @Test
    void aResubmitSucceedsThoughTheJobIsAnothersByThenAndEnqueuesItOnce() {
        Job<String> job = CreationVerbs.finished(scene);
        unknownButCommitted().meanwhile(scene::claimAndFinish);

        Job<String> again = scene.await(scene.jobs.resubmit(scene.faulty, job));

        assertThat(again.isResubmitted()).isTrue();
        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED, PENDING, RUNNING, FINISHED);
    }

    @Test
    void aResubmitSucceedsThoughTheJobIsGoneByThen() {
        Job<String> job = CreationVerbs.finished(scene);
        unknownButCommitted().meanwhile(() -> scene.others.remove(scene.database(), MAIL, "a"));

        Job<String> again = scene.await(scene.jobs.resubmit(scene.faulty, job));

        assertThat(again.isResubmitted()).isTrue();
        assertThat(scene.state("a")).isEqualTo(NOT_FOUND);
    }

    @Test
    void aResubmitWithLargeDataThatWasDoneShowsThatData() {
        Job<String> job = CreationVerbs.finished(scene);
        String large = "x".repeat(200_000);
        unknownButCommitted();

        Job<String> again = scene.await(scene.jobs.resubmit(scene.faulty, job, Instant.EPOCH, large));

        assertThat(again.data()).isEqualTo(large);
    }

    @Test
    void anUpdateWithLargeDataThatWasDoneShowsThatData() {
        Job<String> job = CreationVerbs.running(scene);
        String large = "x".repeat(200_000);
        unknownButCommitted();

        Job<String> updated = scene.await(scene.jobs.update(scene.faulty, job, large));

        assertThat(updated.data()).isEqualTo(large);
    }

    @Test
    void anUpdateIsHaltedIfTheClaimIsLostByThen() {
        Job<String> job = CreationVerbs.running(scene);
        unknownButCommitted().meanwhile(() -> scene.others.remove(scene.database(), MAIL, "a"));

        CompletableFuture<Job<String>> update = scene.jobs.update(scene.faulty, job, "half");

        assertThatThrownBy(() -> scene.await(update)).hasCauseInstanceOf(JobHaltedException.class);
        assertThat(scene.state("a")).isEqualTo(NOT_FOUND);
    }

    @Test
    void anAcceptTakesNoSecondJobWhileAnotherTakesTheNext() {
        scene.added("a", "first");
        scene.added("b", "second");
        unknownButCommitted().meanwhile(scene::claimAndFinish);

        Optional<Job<String>> job = scene.await(scene.jobs.accept(MAIL, AcceptOptions.nonBlocking()));

        assertThat(job).hasValueSatisfying(taken -> assertThat(taken.id()).isEqualTo("a"));
        assertThat(scene.state("a")).isEqualTo(RUNNING);
        assertThat(scene.state("b")).isEqualTo(FINISHED);
        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING);
    }

    @Test
    void anAcceptWhoseJobIsTakenByAnotherTakesTheNext() {
        scene.added("a", "first");
        scene.added("b", "second");
        scene.script.next(Fault.CONFLICT).meanwhile(scene::claimAndFinish);

        Optional<Job<String>> job = scene.await(scene.jobs.accept(MAIL, AcceptOptions.nonBlocking()));

        assertThat(job).hasValueSatisfying(taken -> assertThat(taken.id()).isEqualTo("b"));
        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED);
    }

    @Test
    void anAcceptWhoseJobIsRemovedMeanwhileTakesTheNext() {
        scene.added("a", "first");
        scene.added("b", "second");
        unknownButCommitted().meanwhile(() -> scene.others.remove(scene.database(), MAIL, "a"));

        Optional<Job<String>> job = scene.await(scene.jobs.accept(MAIL, AcceptOptions.nonBlocking()));

        assertThat(job).hasValueSatisfying(taken -> assertThat(taken.id()).isEqualTo("b"));
    }

    @Test
    void anAcceptorThatMeetsConflictsFindsAllTheSameWhateverWaits() {
        List<String> waiting = new ArrayList<>();
        for (char id = 'a'; id <= 'z'; id++) {
            scene.added(String.valueOf(id), "some");
            waiting.add(String.valueOf(id));
        }
        scene.script.next(Fault.CONFLICT).next(Fault.CONFLICT).next(Fault.CONFLICT);

        List<String> taken = new ArrayList<>();
        for (int claim = 0; claim < waiting.size(); claim++) {
            Optional<Job<String>> job = scene.await(scene.jobs.accept(MAIL, AcceptOptions.nonBlocking()));
            taken.add(job.orElseThrow().id());
        }

        assertThat(scene.script.struck()).isEqualTo(3);
        assertThat(taken).containsExactlyInAnyOrderElementsOf(waiting);
    }

    @Test
    void aClaimThatNobodyWantsAnyMoreIsHandedBackOnceAndAtOnce() {
        Subscription<String> subscription = subscribedToPending();
        CompletableFuture<CompletableFuture<?>> call = new CompletableFuture<>();
        unknownButCommitted()
                .nth(2, Fault.UNKNOWN_BUT_COMMITTED)
                .meanwhile(() -> call.thenAccept(accepted -> accepted.cancel(true)));

        call.complete(scene.jobs.accept(MAIL, AcceptOptions.nonBlocking()));
        scene.await(scene.others.wait(subscription, RUNNING, LONG));
        scene.await(scene.others.wait(subscription, PENDING, LONG));

        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, PENDING);
        assertThat(scene.script.struck()).isEqualTo(2);
        assertThat(scene.runs()).isEqualTo(1);
    }

    @Test
    void aClaimThatNobodyWantsAnyMoreIsNotHandedBackOnceTheJobIsAnothers() {
        Subscription<String> subscription = subscribedToPending();
        CompletableFuture<CompletableFuture<?>> call = new CompletableFuture<>();
        CompletableFuture<Optional<Job<String>>> taken = new CompletableFuture<>();
        unknownButCommitted()
                .meanwhile(() -> call.thenAccept(accepted -> accepted.cancel(true)))
                .next(Fault.CONFLICT)
                .meanwhile(() -> scene.others
                        .remove(scene.database(), MAIL, "a")
                        .thenCompose(removed -> scene.others.add(scene.database(), MAIL, "a", "again"))
                        .thenCompose(added -> scene.claim())
                        .thenApply(taken::complete));

        call.complete(scene.jobs.accept(MAIL, AcceptOptions.nonBlocking()));
        scene.await(scene.others.wait(subscription, NOT_FOUND, LONG));
        Job<String> job = scene.await(taken).orElseThrow();
        subscription = scene.await(scene.others.subscribe(scene.database(), MAIL, "a"));
        assertThat(scene.await(scene.others.wait(subscription, PENDING, Duration.ofSeconds(2))))
                .isEmpty();

        scene.await(scene.others.finish(scene.database(), job));
        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, NOT_FOUND, PENDING, RUNNING, FINISHED);
    }

    @Test
    void aJobThatTheMonitorPutBackAndAnotherTookMeanwhileIsNotPutBackAgain() {
        scene.close();
        scene = new Scene(stage, Duration.ofSeconds(1));
        CreationVerbs.running(scene);
        CompletableFuture<Optional<Job<String>>> taken = new CompletableFuture<>();
        unknownButCommitted().meanwhile(() -> takeIfPutBack(taken));

        scene.jobs.monitor(MAIL);
        Job<String> job = scene.await(taken).orElseThrow();

        scene.await(scene.others.finish(scene.database(), job));
        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, PENDING, RUNNING, FINISHED);
    }

    /** The monitor also commits each time that it looks; the commit that puts the job back is one of those to come. */
    private CompletableFuture<?> takeIfPutBack(CompletableFuture<Optional<Job<String>>> taken) {
        return scene.claim().thenCompose(job -> {
            if (job.isEmpty()) {
                scene.script.nth(2, Fault.UNKNOWN_BUT_COMMITTED).meanwhile(() -> takeIfPutBack(taken));
                return CompletableFuture.completedFuture(job);
            }
            return scene.others
                    .setTypeTimeout(scene.database(), MAIL, Scene.LONG) // so that no monitor puts it back
                    .thenApply(set -> taken.complete(job));
        });
    }

    @Test
    void aFinishDoesNotReleaseAgainAJobThatRanMeanwhile() {
        Job<String> job = CreationVerbs.running(scene);
        scene.await(scene.others.add(
                scene.database(), NewJob.of(MAIL, "then").id("b").after(MAIL, "a")));
        unknownButCommitted().meanwhile(scene::claimAndFinish);

        scene.await(scene.jobs.finish(scene.faulty, job));

        assertThat(scene.changesOf("b")).containsExactly(PENDING, PENDING, RUNNING, FINISHED);
    }

    @Test
    void aJobThatWasReleasedAndHasRunMeanwhileIsNotAddedToWaitAgain() {
        Job<String> job = CreationVerbs.running(scene);
        unknownButCommitted()
                .meanwhile(() ->
                        scene.others.finish(scene.database(), job).thenCompose(finished -> scene.claimAndFinish()));

        scene.await(scene.jobs.add(scene.faulty, NewJob.of(MAIL, "then").id("b").after(MAIL, "a")));

        assertThat(scene.changesOf("b")).containsExactly(PENDING, PENDING, RUNNING, FINISHED);
    }

    @Test
    void aJobIsNotLeftWaitingForOneThatFinishesWhileItIsAdded() {
        Job<String> job = CreationVerbs.running(scene);
        scene.script.next(Fault.CONFLICT).meanwhile(() -> scene.others.finish(scene.database(), job));

        scene.await(scene.jobs.add(scene.faulty, NewJob.of(MAIL, "then").id("b").after(MAIL, "a")));

        assertThat(scene.runs()).isEqualTo(1);
        assertThat(scene.changesOf("b")).containsExactly(PENDING, RUNNING, FINISHED);
    }

    private Subscription<String> subscribedToPending() {
        scene.added("a", "old");
        return scene.await(scene.others.subscribe(scene.database(), MAIL, "a"));
    }
}
