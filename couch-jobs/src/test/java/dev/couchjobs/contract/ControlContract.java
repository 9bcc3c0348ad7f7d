package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.AddResult;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobAttempt;
import dev.couchjobs.JobCancelledException;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import dev.couchjobs.Subscription;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What operators do to jobs: cancel, run now, reschedule and reprioritise. */
class ControlContract extends JobsContract {
    private static final JobType<WorkData, Void> WORK = JobType.of(INDEX.name(), WorkData.class);

    private static final RetryPolicy HOURLY =
            RetryPolicy.standard().backoff(Duration.ofHours(1), 1, Duration.ofHours(1));

    private boolean cancel(String id) {
        return await(jobs.control().cancel(database, INDEX, id, "the customer has left"));
    }

    private JobInfo<WorkData, ?> info(String id) {
        return await(jobs.getJob(database, INDEX, id)).orElseThrow();
    }

    private List<JobAttempt> attempts(String id) {
        return await(jobs.details().attempts(database, INDEX, id));
    }

    // Cancel

    @Test
    void aPendingJobIsCancelledAndKeepsItsRow() {
        add("j1", 7);

        assertThat(cancel("j1")).isTrue();

        JobInfo<WorkData, ?> cancelled = info("j1");
        assertThat(cancelled.state()).isEqualTo(JobState.FINISHED);
        assertThat(cancelled.outcome()).contains(Outcome.CANCELLED);
        assertThat(cancelled.error()).contains("the customer has left");
        assertThat(cancelled.data()).isEqualTo(new WorkData(7));
        assertThat(cancelled.endedAt()).isPresent();
        assertThat(cancelled.lastAttempt()).isEmpty();
        assertThat(tryAccept()).isEmpty();
        assertThat(await(jobs.counts(database, INDEX)).cancelled()).isEqualTo(1);
    }

    @Test
    void aJobThatIsScheduledForLaterIsCancelled() {
        addAt("j1", 1, Instant.now().plusSeconds(3_600));

        assertThat(cancel("j1")).isTrue();

        assertThat(info("j1").outcome()).contains(Outcome.CANCELLED);
        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void theHolderOfACancelledJobIsHalted() {
        Job<WorkData> job = accepted("j1", 1);

        assertThat(cancel("j1")).isTrue();

        assertThat(failureOf(jobs.processor().finish(database, job)))
                .isInstanceOfSatisfying(
                        JobHaltedException.class,
                        halted -> assertThat(halted.isCancelled()).isTrue())
                .hasMessageContaining("the customer has left");
        assertThat(failureOf(jobs.processor().resubmit(database, job))).isInstanceOf(JobHaltedException.class);
        assertThat(info("j1").outcome()).contains(Outcome.CANCELLED);
        assertThat(attempts("j1"))
                .singleElement()
                .satisfies(attempt -> assertThat(attempt.end()).contains(AttemptEnd.CANCELLED));
    }

    @Test
    void whatTheHolderWritesTogetherWithItsJobIsNotWrittenAfterTheCancellation() {
        Job<WorkData> job = accepted("j1", 1);

        try (Transaction tx = database.createTransaction()) {
            await(jobs.processor().update(tx, job));
            tx.set(key("effect"), new byte[0]);
            cancel("j1");
            assertThat(failureOf(tx.commit())).isNotNull();
        }

        assertThat(isWritten("effect")).isFalse();
    }

    @Test
    void aJobThatWasAskedToRunOnceMoreDoesNot() {
        accepted("j1", 1);
        add("j1", 2);

        cancel("j1");

        assertThat(info("j1").outcome()).contains(Outcome.CANCELLED);
        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void attemptsBeforeTheCancellationKeepTheirEnds() {
        JobType<WorkData, Void> patient = WORK.retry(HOURLY);
        add("j1", 1);
        Job<WorkData> job = await(jobs.processor().accept(patient)).orElseThrow();
        await(jobs.processor().fail(database, job, new IllegalStateException("no paper")));

        cancel("j1");

        assertThat(attempts("j1")).singleElement().satisfies(attempt -> {
            assertThat(attempt.end()).contains(AttemptEnd.FAILED);
            assertThat(attempt.error().orElseThrow()).contains("no paper");
        });
        assertThat(info("j1").error()).contains("the customer has left");
        assertThat(info("j1").lastAttempt())
                .isEqualTo(Optional.of(attempts("j1").get(0)));

        add("j1", 2);
        Job<WorkData> again = accept();
        await(jobs.processor().finish(database, again));
        assertThat(attempts("j1"))
                .extracting(attempt -> attempt.end().orElseThrow())
                .containsExactly(AttemptEnd.FAILED, AttemptEnd.SUCCEEDED);
        await(jobs.remove(database, INDEX, "j1"));
        assertThat(new StoredRows(database, prefix).under("attempts", "index")).isEmpty();
    }

    @Test
    void aCancelledJobTakesTheRowsOfItsAttemptsAlongWhenItIsRemoved() {
        JobType<WorkData, Void> patient = WORK.retry(HOURLY);
        add("j1", 1);
        Job<WorkData> job = await(jobs.processor().accept(patient)).orElseThrow();
        await(jobs.processor().fail(database, job, new IllegalStateException("no paper")));
        cancel("j1");

        await(jobs.remove(database, INDEX, "j1"));

        assertThat(new StoredRows(database, prefix).under("attempts", "index")).isEmpty();
    }

    @Test
    void aJobThatHasEndedOrIsNotThereStaysAsItIs() {
        await(jobs.processor().finish(database, accepted("j1", 1)));

        assertThat(cancel("j1")).isFalse();
        assertThat(cancel("never")).isFalse();

        assertThat(info("j1").outcome()).contains(Outcome.SUCCEEDED);
        assertThat(stateOf("never")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aCallerThatWaitsForTheResultLearnsOfTheCancellation() {
        add("j1", 1);
        CompletableFuture<Void> result = jobs.resultAsync(WORK, "j1", LONG);

        cancel("j1");

        assertThat(failureOf(result))
                .isInstanceOfSatisfying(
                        JobCancelledException.class,
                        cancelled -> assertThat(cancelled.reason()).isEqualTo("the customer has left"));
    }

    @Test
    void aSubscriberReceivesTheEnd() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");

        cancel("j1");

        assertThat(await(subscription.awaitEvent(JobState.FINISHED, LONG))).isPresent();
    }

    @Test
    void jobsThatWaitForACancelledJobFail() {
        add("first", 1);
        await(jobs.add(
                database,
                NewJob.of(INDEX, new WorkData(2))
                        .id("second")
                        .after(Dependency.on(INDEX, "first").ifUnsuccessful(DependencyPolicy.FAIL))));

        cancel("first");

        assertThat(failureOf(jobs.resultAsync(WORK, "second", LONG))).hasMessageContaining("was cancelled");
    }

    @Test
    void aBlockedJobIsCancelledAndNoLongerWaits() {
        add("first", 1);
        await(jobs.add(database, NewJob.of(INDEX, new WorkData(2)).id("second").after(INDEX, "first")));

        cancel("second");
        await(jobs.processor().finish(database, accept()));

        assertThat(info("second").outcome()).contains(Outcome.CANCELLED);
        assertThat(tryAccept()).isEmpty();
        assertThat(new StoredRows(database, prefix).under("waits_for", "index")).isEmpty();
    }

    @Test
    void theSlotOfACancelledJobIsPassedOn() {
        await(jobs.limits().set(database, INDEX, "tenant-7", 1));
        await(jobs.add(database, NewJob.of(INDEX, new WorkData(1)).id("j1").limitKey("tenant-7")));
        accept();
        await(jobs.add(database, NewJob.of(INDEX, new WorkData(2)).id("j2").limitKey("tenant-7")));

        cancel("j1");

        assertThat(accept().id()).isEqualTo("j2");
        cancel("j2");
        assertThat(await(jobs.limits().get(database, INDEX, "tenant-7")).taken())
                .isZero();
    }

    @Test
    void theScheduleOfACancelledJobGoesOn() {
        Schedule hourly = Schedule.every("hourly", Duration.ofHours(1), NewJob.of(INDEX, new WorkData(1)));
        await(jobs.schedules().put(database, hourly));
        String first = all(database, INDEX).get(0).jobId();

        cancel(first);

        assertThat(all(database, INDEX))
                .filteredOn(job -> job.state() == JobState.PENDING)
                .singleElement()
                .satisfies(next -> assertThat(next.jobId()).isNotEqualTo(first));
    }

    @Test
    void theRetentionOfCancelledJobsCounts() {
        JobType<WorkData, Void> fleeting = WORK.retention(Retention.of(Duration.ZERO));
        add("j1", 1);

        assertThat(await(jobs.control().cancel(database, fleeting, "j1", "no longer needed")))
                .isTrue();

        assertThat(stateOf("j1")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aCancelledJobRunsIfItIsAddedAgain() {
        accepted("j1", 1);
        cancel("j1");

        AddResult again = await(jobs.add(database, INDEX, "j1", new WorkData(2)));

        assertThat(again.change()).isEqualTo(AddResult.Change.RUN_AGAIN);
        assertThat(accept().id()).isEqualTo("j1");
    }

    @Test
    void aHandlerIsToldAtOnceThatItsJobIsCancelled() {
        assertThat(toldWhen(() -> cancel("j1"))).isEqualTo(new Told(true, true));
        assertThat(info("j1").outcome()).contains(Outcome.CANCELLED);
    }

    @Test
    void aHandlerIsToldAtOnceThatItsJobIsRemoved() {
        assertThat(toldWhen(() -> await(jobs.remove(database, INDEX, "j1")))).isEqualTo(new Told(true, false));
    }

    /** What a handler is told with its interrupt. */
    private record Told(boolean isHalted, boolean isCancelled) {}

    /** Takes the job j1 from a handler that runs it. */
    private Told toldWhen(Runnable taken) {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Told> told = new CompletableFuture<>();
        CouchJobs other = node();
        try (Worker worker = other.worker()
                .process(WORK, job -> {
                    begun.countDown();
                    waitForInterrupt();
                    told.complete(new Told(job.isHalted(), job.isCancelled()));
                })
                .start()) {
            assertThat(worker).isNotNull();
            add("j1", 1);
            Futures.await(begun);

            taken.run();

            return await(told);
        }
    }

    private static void waitForInterrupt() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            // as expected
        }
    }

    @Test
    void aHandlerThatWritesAfterTheCancellationGetsAnErrorThatSaysSo() {
        CompletableFuture<JobHaltedException> error = new CompletableFuture<>();
        try (Worker worker = node().worker()
                .process(WORK, job -> {
                    cancel("j1");
                    error.complete(haltOf(job));
                })
                .start()) {
            assertThat(worker).isNotNull();
            add("j1", 1);

            assertThat(await(error).isCancelled()).isTrue();
        }
    }

    private static JobHaltedException haltOf(JobContext<?> job) {
        while (true) {
            try {
                job.run(tx -> true);
            } catch (JobHaltedException e) {
                return e;
            }
        }
    }

    @Test
    void aWorkerGoesOnAfterJobsThatWaitForItsSlotWereCancelled() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        try (Worker worker = node().worker()
                .concurrency(1)
                .process(WORK, job -> {
                    if (job.id().equals("first")) {
                        begun.countDown();
                        Futures.await(released);
                    }
                })
                .start()) {
            assertThat(worker).isNotNull();
            for (String quick : List.of("q0", "q1", "q2", "q3")) { // so that the worker claims ahead
                add(quick, 1);
                jobs.result(WORK, quick, LONG);
            }
            add("first", 1);
            Futures.await(begun);
            addMany(3);

            List<String> ids = List.of("j0", "j1", "j2");
            ids.forEach(this::cancel);
            released.countDown();
            jobs.result(WORK, "first", LONG);
            add("last", 1);
            jobs.result(WORK, "last", LONG);
            assertThat(ids).allSatisfy(id -> assertThat(info(id).outcome()).contains(Outcome.CANCELLED));
        }
    }

    @Test
    void handlersAreToldAtOnceAfterASearchHasFailed() {
        DisturbedDatabase way = new DisturbedDatabase(database);
        CountDownLatch begun = new CountDownLatch(3);
        List<CompletableFuture<Boolean>> told =
                List.of(new CompletableFuture<>(), new CompletableFuture<>(), new CompletableFuture<>());
        try (Worker worker = node(way.asDatabase(), Environment.system())
                .worker()
                .process(WORK, job -> {
                    begun.countDown();
                    waitForInterrupt();
                    told.get(job.data().step()).complete(job.isCancelled());
                })
                .start()) {
            assertThat(worker).isNotNull();
            addMany(3);
            Futures.await(begun);
            cancel("j0");
            assertThat(await(told.get(0))).isTrue();

            CompletableFuture<Void> hasFailed = way.cut(1);
            cancel("j1");
            await(hasFailed);
            way.mend();
            cancel("j2");

            assertThat(await(told.get(1))).isTrue();
            assertThat(await(told.get(2))).isTrue();
        }
    }

    @Test
    void aJobWhoseRowIsDamagedIsNotChanged() {
        add("j1", 1);
        commit(tx -> tx.set(prefix.pack(Tuple.from("couch_jobs", "data", "index", "j1")), new byte[] {1, 2}));

        assertThat(failureOf(jobs.control().cancel(database, INDEX, "j1", "damaged")))
                .isInstanceOf(UndecodableRowException.class);
        assertThat(failureOf(jobs.control().runNow(database, INDEX, "j1"))).isInstanceOf(UndecodableRowException.class);
    }

    // Run now, reschedule

    @Test
    void aScheduledJobRunsNow() {
        addAt("j1", 1, Instant.now().plusSeconds(3_600));

        assertThat(await(jobs.control().runNow(database, INDEX, "j1"))).isTrue();

        assertThat(await(jobs.processor().accept(INDEX)).orElseThrow().id()).isEqualTo("j1");
    }

    @Test
    void aJobThatBacksOffRunsNowAndKeepsItsFailures() {
        JobType<WorkData, Void> patient = WORK.retry(HOURLY);
        add("j1", 1);
        Job<WorkData> job = await(jobs.processor().accept(patient)).orElseThrow();
        await(jobs.processor().fail(database, job, new IllegalStateException("no paper")));

        assertThat(await(jobs.control().runNow(database, INDEX, "j1"))).isTrue();

        assertThat(info("j1").failures()).isEqualTo(1);
        assertThat(info("j1").scheduledTime()).isEmpty();
        assertThat(await(jobs.processor().accept(INDEX)).orElseThrow().id()).isEqualTo("j1");
        assertThat(attempts("j1")).hasSize(2);
    }

    @Test
    void aProcessThatWaitsIsWokenByAJobThatRunsNow() {
        addAt("j1", 1, Instant.now().plusSeconds(3_600));
        CompletableFuture<Optional<Job<WorkData>>> accepted = node().processor().accept(INDEX);

        await(jobs.control().runNow(database, INDEX, "j1"));

        assertThat(await(accepted).orElseThrow().id()).isEqualTo("j1");
    }

    @Test
    void aJobThatMayRunAlreadyStaysAsItIs() {
        add("j1", 1);

        try (Transaction tx = database.createTransaction()) {
            assertThat(await(jobs.control().runNow(tx, INDEX, "j1"))).isTrue();
            await(tx.commit());
            assertThat(tx.getCommittedVersion()).isEqualTo(-1);
        }
    }

    @Test
    void aJobThatIsNotPendingDoesNotRunNow() {
        accepted("running", 1);
        await(jobs.processor().finish(database, accepted("ended", 1)));

        for (String id : List.of("running", "ended", "never")) {
            assertThat(await(jobs.control().runNow(database, INDEX, id))).isFalse();
            assertThat(await(jobs.control().reschedule(database, INDEX, id, NOON)))
                    .isFalse();
        }

        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void aBlockedJobGoesOnWaitingForOthers() {
        add("first", 1);
        await(jobs.add(
                database,
                NewJob.of(INDEX, new WorkData(2))
                        .id("second")
                        .at(Instant.now().plusSeconds(3_600))
                        .after(INDEX, "first")));

        assertThat(await(jobs.control().runNow(database, INDEX, "second"))).isTrue();
        Job<WorkData> first = accept();
        assertThat(first.id()).isEqualTo("first");
        assertThat(tryAccept()).isEmpty();
        await(jobs.processor().finish(database, first));

        assertThat(await(jobs.processor().accept(INDEX)).orElseThrow().id()).isEqualTo("second");
    }

    @Test
    void aScheduledJobWithALimitKeyThatRunsNowTakesASlot() {
        await(jobs.limits().set(database, INDEX, "tenant-7", 1));
        for (String id : List.of("j1", "j2")) {
            await(jobs.add(
                    database,
                    NewJob.of(INDEX, new WorkData(1))
                            .id(id)
                            .limitKey("tenant-7")
                            .at(Instant.now().plusSeconds(3_600))));
            await(jobs.control().runNow(database, INDEX, id));
        }

        assertThat(accept().id()).isEqualTo("j1");
        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void aJobIsRescheduled() {
        Instant time = Instant.ofEpochSecond(Instant.now().getEpochSecond() + 3_600);
        add("j1", 1);

        assertThat(await(jobs.control().reschedule(database, INDEX, "j1", time)))
                .isTrue();

        assertThat(scheduledTimeOf("j1")).contains(time);
        assertThat(await(jobs.processor().accept(INDEX, AcceptOptions.nonBlocking())))
                .isEmpty();
    }

    @Test
    void aTimeBefore1970IsRefused() {
        assertThatThrownBy(() -> jobs.control().reschedule(database, INDEX, "j1", Instant.EPOCH.minusSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1970");
    }

    // Reprioritise

    @Test
    void aJobWithAHigherPriorityComesFirst() {
        add("j1", 1);
        add("j2", 2);

        assertThat(await(jobs.control().reprioritise(database, INDEX, "j2", 5))).isTrue();

        assertThat(info("j2").priority()).isEqualTo(5);
        assertThat(accept().id()).isEqualTo("j2");
        assertThat(accept().id()).isEqualTo("j1");
    }

    @Test
    void aPriorityIsTakenBack() {
        add("j1", 1);
        await(jobs.add(database, NewJob.of(INDEX, new WorkData(2)).id("j2").priority(5)));

        await(jobs.control().reprioritise(database, INDEX, "j2", 0));
        await(jobs.control().reprioritise(database, INDEX, "j1", 1));

        assertThat(accept().id()).isEqualTo("j1");
        assertThat(accept().id()).isEqualTo("j2");
        assertThat(new StoredRows(database, prefix).under("ranked", "index")).isEmpty();
    }

    @Test
    void aRunningJobHasThePriorityWhenItRunsAgain() {
        Job<WorkData> job = accepted("j1", 1);

        assertThat(await(jobs.control().reprioritise(database, INDEX, "j1", 5))).isTrue();

        await(jobs.processor().snooze(database, job, Duration.ZERO));
        add("a", 1);
        assertThat(accept().id()).isEqualTo("j1");
    }

    @Test
    void ofJobsOfWhichOneIsNotThereOnlyTheOthersChange() {
        assertThat(await(jobs.control().reprioritise(database, INDEX, "never", 5)))
                .isFalse();
        await(jobs.processor().finish(database, accepted("ended", 1)));
        assertThat(await(jobs.control().reprioritise(database, INDEX, "ended", 5)))
                .isFalse();
    }

    // In one transaction

    @Test
    void verbsJoinTheCallersTransaction() {
        add("j1", 1);
        addAt("j2", 2, NOON.plus(Duration.ofDays(100)));

        try (Transaction tx = database.createTransaction()) {
            assertThat(await(jobs.control().cancel(tx, INDEX, "j1", "not committed")))
                    .isTrue();
            assertThat(await(jobs.control().cancel(tx, INDEX, "j1", "a second time")))
                    .isFalse();
            assertThat(await(jobs.control().runNow(tx, INDEX, "j2"))).isTrue();
        }

        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(scheduledTimeOf("j2")).isPresent();
    }
}
