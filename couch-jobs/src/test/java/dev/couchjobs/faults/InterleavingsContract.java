package dev.couchjobs.faults;

import static dev.couchjobs.JobState.FINISHED;
import static dev.couchjobs.JobState.NOT_FOUND;
import static dev.couchjobs.JobState.PENDING;
import static dev.couchjobs.JobState.RUNNING;
import static dev.couchjobs.faults.FaultFixture.LONG;
import static dev.couchjobs.faults.FaultFixture.MAIL;
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
    private FaultFixture fixture;

    @BeforeEach
    void setTheScene() {
        fixture = new FaultFixture(stage);
    }

    @AfterEach
    void leaveTheScene() {
        assertThat(fixture.rows().contradictions()).isEmpty();
        fixture.close();
    }

    private Script unknownButCommitted() {
        return fixture.script.next(StepFault.UNKNOWN_BUT_COMMITTED);
    }

    private void add(String data) {
        fixture.await(fixture.jobs.add(fixture.faulty, MAIL, "a", data));
    }

    @Test
    void aNewJobThatAnotherHasRunMeanwhileIsNotAddedAgain() {
        unknownButCommitted().meanwhile(fixture::claimAndFinish);

        add("new");

        assertThat(fixture.state("a")).isEqualTo(FINISHED);
        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED);
        assertThat(fixture.runs()).isZero();
    }

    @Test
    void aFinishedJobThatAnotherHasRunOnceMoreMeanwhileIsNotAddedAgain() {
        CreationCases.finished(fixture);
        unknownButCommitted().meanwhile(fixture::claimAndFinish);

        add("new");

        assertThat(fixture.data("a")).contains("new");
        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED, PENDING, RUNNING, FINISHED);
    }

    @Test
    void jobsThatWereAddedTogetherAndHaveRunMeanwhileAreNotAddedAgain() {
        unknownButCommitted().meanwhile(() -> fixture.claimAndFinish().thenCompose(first -> fixture.claimAndFinish()));

        fixture.await(fixture.jobs.addAll(
                fixture.faulty,
                List.of(NewJob.of(MAIL, "new").id("a"), NewJob.of(MAIL, "new").id("b"))));

        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED);
        assertThat(fixture.changesOf("b")).containsExactly(PENDING, RUNNING, FINISHED);
    }

    @Test
    void aRunningJobThatIsFinishedAndRunMeanwhileIsNotFlaggedAgain() {
        Job<String> job = CreationCases.running(fixture);
        unknownButCommitted()
                .meanwhile(() -> fixture.others
                        .processor()
                        .finish(fixture.database(), job)
                        .thenCompose(finished -> fixture.claimAndFinish()));

        add("new");

        assertThat(fixture.state("a")).isEqualTo(FINISHED);
        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, RUNNING, PENDING, RUNNING, FINISHED);
    }

    @Test
    void aJobThatWasAddedAndIsRemovedMeanwhileStaysRemoved() {
        unknownButCommitted().meanwhile(() -> fixture.others.remove(fixture.database(), MAIL, "a"));

        add("new");

        assertThat(fixture.state("a")).isEqualTo(NOT_FOUND);
        assertThat(fixture.changesOf("a")).containsExactly(PENDING, NOT_FOUND);
    }

    @Test
    void aJobThatWasRemovedAndIsAddedMeanwhileIsNotRemovedAgain() {
        fixture.added("a", "old");
        unknownButCommitted().meanwhile(() -> fixture.others.add(fixture.database(), MAIL, "a", "new"));

        boolean found = fixture.await(fixture.jobs.remove(fixture.faulty, MAIL, "a"));

        assertThat(found).isTrue();
        assertThat(fixture.data("a")).contains("new");
    }

    @Test
    void aFinishSucceedsThoughTheJobIsAnothersByThen() {
        Job<String> job = CreationCases.running(fixture);
        AtomicReference<Optional<Job<String>>> next = new AtomicReference<>(Optional.empty());
        unknownButCommitted()
                .meanwhile(() -> fixture.others
                        .add(fixture.database(), MAIL, "a", "again")
                        .thenCompose(added -> fixture.claim())
                        .thenAccept(next::set));

        fixture.await(fixture.jobs.processor().finish(fixture.faulty, job));

        assertThat(fixture.state("a")).isEqualTo(RUNNING);
        fixture.await(fixture.others
                .processor()
                .finish(
                        fixture.database(),
                        Optional.ofNullable(next.get()).flatMap(n -> n).orElseThrow()));
        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED, PENDING, RUNNING, FINISHED);
    }

    @Test
    void aFinishSucceedsThoughTheJobIsGoneByThen() {
        Job<String> job = CreationCases.running(fixture);
        unknownButCommitted().meanwhile(() -> fixture.others.remove(fixture.database(), MAIL, "a"));

        fixture.await(fixture.jobs.processor().finish(fixture.faulty, job));

        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED, NOT_FOUND);
    }

    @Test
    void aResubmitSucceedsThoughTheJobIsAnothersByThenAndEnqueuesItOnce() {
        Job<String> job = CreationCases.finished(fixture);
        unknownButCommitted().meanwhile(fixture::claimAndFinish);

        Job<String> again = fixture.await(fixture.jobs.processor().resubmit(fixture.faulty, job));

        assertThat(again.isResubmitted()).isTrue();
        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED, PENDING, RUNNING, FINISHED);
    }

    @Test
    void aResubmitSucceedsThoughTheJobIsGoneByThen() {
        Job<String> job = CreationCases.finished(fixture);
        unknownButCommitted().meanwhile(() -> fixture.others.remove(fixture.database(), MAIL, "a"));

        Job<String> again = fixture.await(fixture.jobs.processor().resubmit(fixture.faulty, job));

        assertThat(again.isResubmitted()).isTrue();
        assertThat(fixture.state("a")).isEqualTo(NOT_FOUND);
    }

    @Test
    void aResubmitWithLargeDataThatWasDoneShowsThatData() {
        Job<String> job = CreationCases.finished(fixture);
        String large = "x".repeat(200_000);
        unknownButCommitted();

        Job<String> again = fixture.await(fixture.jobs.processor().resubmit(fixture.faulty, job, Instant.EPOCH, large));

        assertThat(again.data()).isEqualTo(large);
    }

    @Test
    void anUpdateWithLargeDataThatWasDoneShowsThatData() {
        Job<String> job = CreationCases.running(fixture);
        String large = "x".repeat(200_000);
        unknownButCommitted();

        Job<String> updated = fixture.await(fixture.jobs.processor().update(fixture.faulty, job, large));

        assertThat(updated.data()).isEqualTo(large);
    }

    @Test
    void anUpdateIsHaltedIfTheClaimIsLostByThen() {
        Job<String> job = CreationCases.running(fixture);
        unknownButCommitted().meanwhile(() -> fixture.others.remove(fixture.database(), MAIL, "a"));

        CompletableFuture<Job<String>> update = fixture.jobs.processor().update(fixture.faulty, job, "half");

        assertThatThrownBy(() -> fixture.await(update)).hasCauseInstanceOf(JobHaltedException.class);
        assertThat(fixture.state("a")).isEqualTo(NOT_FOUND);
    }

    @Test
    void anAcceptTakesNoSecondJobWhileAnotherTakesTheNext() {
        fixture.added("a", "first");
        fixture.added("b", "second");
        unknownButCommitted().meanwhile(fixture::claimAndFinish);

        Optional<Job<String>> job = fixture.await(fixture.jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()));

        assertThat(job).hasValueSatisfying(taken -> assertThat(taken.id()).isEqualTo("a"));
        assertThat(fixture.state("a")).isEqualTo(RUNNING);
        assertThat(fixture.state("b")).isEqualTo(FINISHED);
        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING);
    }

    @Test
    void anAcceptWhoseJobIsTakenByAnotherTakesTheNext() {
        fixture.added("a", "first");
        fixture.added("b", "second");
        fixture.script.next(StepFault.CONFLICT).meanwhile(fixture::claimAndFinish);

        Optional<Job<String>> job = fixture.await(fixture.jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()));

        assertThat(job).hasValueSatisfying(taken -> assertThat(taken.id()).isEqualTo("b"));
        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED);
    }

    @Test
    void anAcceptWhoseJobIsRemovedMeanwhileTakesTheNext() {
        fixture.added("a", "first");
        fixture.added("b", "second");
        unknownButCommitted().meanwhile(() -> fixture.others.remove(fixture.database(), MAIL, "a"));

        Optional<Job<String>> job = fixture.await(fixture.jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()));

        assertThat(job).hasValueSatisfying(taken -> assertThat(taken.id()).isEqualTo("b"));
    }

    @Test
    void anAcceptorThatMeetsConflictsFindsAllTheSameWhateverWaits() {
        List<String> waiting = new ArrayList<>();
        for (char id = 'a'; id <= 'z'; id++) {
            fixture.added(String.valueOf(id), "some");
            waiting.add(String.valueOf(id));
        }
        fixture.script.next(StepFault.CONFLICT).next(StepFault.CONFLICT).next(StepFault.CONFLICT);

        List<String> taken = new ArrayList<>();
        for (int claim = 0; claim < waiting.size(); claim++) {
            Optional<Job<String>> job =
                    fixture.await(fixture.jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()));
            taken.add(job.orElseThrow().id());
        }

        assertThat(fixture.script.struck()).isEqualTo(3);
        assertThat(taken).containsExactlyInAnyOrderElementsOf(waiting);
    }

    @Test
    void aClaimThatNobodyWantsAnyMoreIsHandedBackOnceAndAtOnce() {
        Subscription<String> subscription = subscribedToPending();
        CompletableFuture<CompletableFuture<?>> call = new CompletableFuture<>();
        unknownButCommitted()
                .nth(2, StepFault.UNKNOWN_BUT_COMMITTED)
                .meanwhile(() -> call.thenAccept(accepted -> accepted.cancel(true)));

        call.complete(fixture.jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()));
        fixture.await(subscription.awaitEvent(RUNNING, LONG));
        fixture.await(subscription.awaitEvent(PENDING, LONG));

        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, PENDING);
        assertThat(fixture.script.struck()).isEqualTo(2);
        assertThat(fixture.runs()).isEqualTo(1);
    }

    @Test
    void aClaimThatNobodyWantsAnyMoreIsNotHandedBackOnceTheJobIsAnothers() {
        Subscription<String> subscription = subscribedToPending();
        CompletableFuture<CompletableFuture<?>> call = new CompletableFuture<>();
        CompletableFuture<Optional<Job<String>>> taken = new CompletableFuture<>();
        unknownButCommitted()
                .meanwhile(() -> call.thenAccept(accepted -> accepted.cancel(true)))
                .next(StepFault.CONFLICT)
                .meanwhile(() -> fixture.others
                        .remove(fixture.database(), MAIL, "a")
                        .thenCompose(removed -> fixture.others.add(fixture.database(), MAIL, "a", "again"))
                        .thenCompose(added -> fixture.claim())
                        .thenApply(taken::complete));

        call.complete(fixture.jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()));
        fixture.await(subscription.awaitEvent(NOT_FOUND, LONG));
        Job<String> job = fixture.await(taken).orElseThrow();
        subscription = fixture.await(fixture.others.subscribe(fixture.database(), MAIL, "a"));
        assertThat(fixture.await(subscription.awaitEvent(PENDING, Duration.ofSeconds(2))))
                .isEmpty();

        fixture.await(fixture.others.processor().finish(fixture.database(), job));
        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, NOT_FOUND, PENDING, RUNNING, FINISHED);
    }

    @Test
    void aJobThatTheMonitorPutBackAndAnotherTookMeanwhileIsNotPutBackAgain() {
        fixture.close();
        fixture = new FaultFixture(stage, Duration.ofSeconds(1));
        CreationCases.running(fixture);
        CompletableFuture<Optional<Job<String>>> taken = new CompletableFuture<>();
        unknownButCommitted().meanwhile(() -> takeIfPutBack(taken));

        fixture.jobs.maintenance().monitor(MAIL);
        Job<String> job = fixture.await(taken).orElseThrow();

        fixture.await(fixture.others.processor().finish(fixture.database(), job));
        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, PENDING, RUNNING, FINISHED);
    }

    /** The monitor also commits each time that it looks; the commit that puts the job back is one of those to come. */
    private CompletableFuture<?> takeIfPutBack(CompletableFuture<Optional<Job<String>>> taken) {
        return fixture.claim().thenCompose(job -> {
            if (job.isEmpty()) {
                fixture.script.nth(2, StepFault.UNKNOWN_BUT_COMMITTED).meanwhile(() -> takeIfPutBack(taken));
                return CompletableFuture.completedFuture(job);
            }
            return fixture.others
                    .types()
                    .setTypeTimeout(fixture.database(), MAIL, FaultFixture.LONG) // so that no monitor puts it back
                    .thenApply(set -> taken.complete(job));
        });
    }

    @Test
    void aFinishDoesNotReleaseAgainAJobThatRanMeanwhile() {
        Job<String> job = CreationCases.running(fixture);
        fixture.await(fixture.others.add(
                fixture.database(), NewJob.of(MAIL, "then").id("b").after(MAIL, "a")));
        unknownButCommitted().meanwhile(fixture::claimAndFinish);

        fixture.await(fixture.jobs.processor().finish(fixture.faulty, job));

        assertThat(fixture.changesOf("b")).containsExactly(PENDING, PENDING, RUNNING, FINISHED);
    }

    @Test
    void aJobThatWasReleasedAndHasRunMeanwhileIsNotAddedToWaitAgain() {
        Job<String> job = CreationCases.running(fixture);
        unknownButCommitted()
                .meanwhile(() -> fixture.others
                        .processor()
                        .finish(fixture.database(), job)
                        .thenCompose(finished -> fixture.claimAndFinish()));

        fixture.await(
                fixture.jobs.add(fixture.faulty, NewJob.of(MAIL, "then").id("b").after(MAIL, "a")));

        assertThat(fixture.changesOf("b")).containsExactly(PENDING, PENDING, RUNNING, FINISHED);
    }

    @Test
    void aJobIsNotLeftWaitingForOneThatFinishesWhileItIsAdded() {
        Job<String> job = CreationCases.running(fixture);
        fixture.script
                .next(StepFault.CONFLICT)
                .meanwhile(() -> fixture.others.processor().finish(fixture.database(), job));

        fixture.await(
                fixture.jobs.add(fixture.faulty, NewJob.of(MAIL, "then").id("b").after(MAIL, "a")));

        assertThat(fixture.runs()).isEqualTo(1);
        assertThat(fixture.changesOf("b")).containsExactly(PENDING, RUNNING, FINISHED);
    }

    private Subscription<String> subscribedToPending() {
        fixture.added("a", "old");
        return fixture.await(fixture.others.subscribe(fixture.database(), MAIL, "a"));
    }
}
