package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import dev.couchjobs.ScheduleInfo;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Schedules that pass the result of a job on as the data of the next. */
class PassedResultContract extends JobsContract {
    private static final String POLL = "poll";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final JobType<String, String> CURSOR =
            JobType.of("cursor", String.class, String.class).retry(RetryPolicy.never());
    private static final Schedule POLLING = polling("start");

    private SettableClock clock;
    private CouchJobs timed;

    private static Schedule polling(String first) {
        return Schedule.every(POLL, HOUR, NewJob.of(CURSOR, first)).passingResult(CURSOR);
    }

    @BeforeEach
    void openAtHalfPastNoon() {
        clock = new SettableClock(NOON.plusSeconds(1_800));
        timed = node(clock);
    }

    private ScheduleInfo put(Schedule schedule) {
        return await(timed.schedules().put(database, schedule));
    }

    private Job<String> acceptNext() {
        clock.advance(HOUR);
        return await(timed.processor().accept(CURSOR, AcceptOptions.nonBlocking()))
                .orElseThrow();
    }

    private void finish(Job<String> job, String result) {
        await(timed.processor().finishWithResult(database, CURSOR, job, result));
    }

    @Test
    void theResultOfAJobIsTheDataOfTheNext() {
        put(POLLING);
        for (String data : List.of("start", "start1", "start11")) {
            Job<String> job = acceptNext();
            assertThat(job.data()).isEqualTo(data);
            finish(job, data + "1");
        }
    }

    @Test
    void aWorkerPassesWhatItsHandlerReturns() {
        CompletableFuture<String> second = new CompletableFuture<>();
        put(POLLING);
        String firstId =
                await(timed.schedules().runNow(database, POLL)).currentJob().orElseThrow();
        try (Worker worker = timed.worker()
                .handleAsync(CURSOR, job -> {
                    if (!job.id().equals(firstId)) {
                        second.complete(job.data());
                    }
                    return CompletableFuture.completedFuture(job.data() + "b");
                })
                .start()) {
            assertThat(await(timed.resultAsync(CURSOR, firstId, LONG))).isEqualTo("startb");
            clock.advance(Duration.ofSeconds(10));
            await(timed.schedules().runNow(database, POLL));

            assertThat(await(second)).isEqualTo("startb");
            assertThat(worker.stuckSlots()).isZero();
        }
    }

    @Test
    void aJobThatFailsIsCancelledOrRemovedPassesItsOwnDataOn() {
        put(POLLING);
        finish(acceptNext(), "one");

        await(timed.processor().fail(database, acceptNext(), new IllegalStateException("lost")));
        Job<String> second = acceptNext();
        assertThat(second.data()).isEqualTo("one");
        await(timed.control().cancel(database, CURSOR, second.id(), "no longer wanted"));
        Job<String> third = acceptNext();
        assertThat(third.data()).isEqualTo("one");
        await(timed.remove(database, CURSOR, third.id()));

        assertThat(acceptNext().data()).isEqualTo("one");
    }

    @Test
    void aJobWithoutAResultPassesItsOwnDataOn() {
        put(POLLING);
        finish(acceptNext(), "one");

        await(timed.processor().finish(database, acceptNext()));

        assertThat(acceptNext().data()).isEqualTo("one");
    }

    @Test
    void aJobThatIsNotKeptPassesItsResultOn() {
        JobType<String, String> vanishing = CURSOR.retention(Retention.of(Duration.ZERO));
        put(Schedule.every(POLL, HOUR, NewJob.of(vanishing, "start")).passingResult(vanishing));
        clock.advance(HOUR);
        Job<String> job = await(timed.processor().accept(vanishing, AcceptOptions.nonBlocking()))
                .orElseThrow();
        await(timed.processor().finishWithResult(database, vanishing, job, "one"));

        assertThat(acceptNext().data()).isEqualTo("one");
    }

    @Test
    void theLargestResultIsPassedOnAndALargerOneIsNot() {
        String largest = "x".repeat(999_998);
        put(POLLING);
        finish(acceptNext(), largest);
        Job<String> second = acceptNext();
        assertThat(second.data()).isEqualTo(largest);

        finish(second, largest + "y");

        assertThat(acceptNext().data()).isEqualTo(largest);
    }

    @Test
    void theSameDeclarationKeepsWhatWasPassedOn() {
        put(POLLING);
        finish(acceptNext(), "one");

        put(POLLING);
        put(POLLING.jitter(Duration.ofSeconds(1)));
        await(timed.schedules().pause(database, POLL));
        await(timed.schedules().resume(database, POLL));
        clock.advance(Duration.ofSeconds(1));

        assertThat(acceptNext().data()).isEqualTo("one");
    }

    @Test
    void otherDeclaredDataReplacesWhatWasPassedOn() {
        put(POLLING);
        finish(acceptNext(), "one");

        put(polling("other"));

        assertThat(acceptNext().data()).isEqualTo("other");
    }

    @Test
    void aJobThatBeganBeforeOtherDataWasDeclaredDoesNotPassItsResultOn() {
        put(POLLING);
        Job<String> first = acceptNext();
        put(polling("other"));
        put(polling("other"));

        finish(first, "one");

        Job<String> second = acceptNext();
        assertThat(second.data()).isEqualTo("other");
        finish(second, "two");
        assertThat(acceptNext().data()).isEqualTo("two");
    }

    @Test
    void aScheduleThatNoLongerPassesResultsHasItsDeclaredDataAgain() {
        put(POLLING);
        finish(acceptNext(), "one");

        put(Schedule.every(POLL, HOUR, NewJob.of(CURSOR, "start")));

        assertThat(acceptNext().data()).isEqualTo("start");
    }

    @Test
    void aScheduleThatBeginsToPassResultsStartsWithItsDeclaredData() {
        put(Schedule.every(POLL, HOUR, NewJob.of(CURSOR, "start")));
        finish(acceptNext(), "ignored");

        put(POLLING);
        Job<String> next = acceptNext();
        assertThat(next.data()).isEqualTo("start");
        finish(next, "one");

        assertThat(acceptNext().data()).isEqualTo("one");
    }

    @Test
    void aJobThatRunsNowHasWhatWasPassedOn() {
        put(POLLING);
        finish(acceptNext(), "one");

        await(timed.schedules().runNow(database, POLL));

        assertThat(await(timed.processor().accept(CURSOR, AcceptOptions.nonBlocking()))
                        .orElseThrow()
                        .data())
                .isEqualTo("one");
    }

    @Test
    void aFailedJobThatIsSentAgainPassesNothingOn() {
        put(POLLING);
        Job<String> failed = acceptNext();
        await(timed.processor().fail(database, failed, new IllegalStateException("lost")));
        await(timed.deadLetters().retry(database, CURSOR, failed.id()));
        finish(
                await(timed.processor().accept(CURSOR, AcceptOptions.nonBlocking()))
                        .orElseThrow(),
                "late");

        assertThat(acceptNext().data()).isEqualTo("start");
    }

    @Test
    void theResultIsPassedOnByTheCommitOfTheEnd() {
        put(POLLING);
        Job<String> job = acceptNext();
        CompletableFuture<?> aborted = database.runAsync(tx -> timed.processor()
                .finishWithResult(tx, CURSOR, job, "one")
                .thenCompose(done -> CompletableFuture.failedFuture(new IllegalStateException("abort"))));
        assertThat(failureOf(aborted)).hasMessage("abort");

        finish(job, "two");

        assertThat(acceptNext().data()).isEqualTo("two");
    }

    @Test
    void whatCannotBePassedOnIsRefused() {
        JobType<String, String> other = JobType.of("other", String.class, String.class);
        assertThatThrownBy(
                        () -> Schedule.every(POLL, HOUR, NewJob.of(CURSOR, "a")).passingResult(other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("have type cursor");
        assertThatThrownBy(() -> POLLING.overlapping())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("leave out overlapping");
        Schedule overlapping =
                Schedule.every(POLL, HOUR, NewJob.of(CURSOR, "a")).overlapping();
        assertThatThrownBy(() -> overlapping.passingResult(CURSOR)).hasMessageContaining("leave out overlapping");
    }
}
