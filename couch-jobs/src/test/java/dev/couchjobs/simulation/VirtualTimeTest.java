package dev.couchjobs.simulation;

import static dev.couchjobs.JobState.FINISHED;
import static dev.couchjobs.JobState.PENDING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Subscription;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The whole core on one thread, which is the test's own, and in a time that passes only when the test says so. */
class VirtualTimeTest {
    private static final JobType<String, ?> MAIL = JobType.of("mail", String.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration INSTANT = Duration.ofNanos(1);

    private final Set<Thread> threadsBefore = Thread.getAllStackTraces().keySet();
    private final VirtualStage stage = new VirtualStage(1);
    private final Database database = stage.database();
    private final CouchJobs jobs = instance();

    private CouchJobs instance() {
        return CouchJobs.builder(database).environment(stage.environment()).build();
    }

    @BeforeEach
    void createType() {
        stage.await(jobs.types().setTypeTimeout(database, MAIL, TIMEOUT));
    }

    @AfterEach
    void nothingHasStartedAThread() {
        jobs.close();
        stage.close();
        assertThat(threadsBefore).containsAll(Thread.getAllStackTraces().keySet());
    }

    @Test
    void aJobIsAddedClaimedLostRecoveredFinishedAndWaitedForWithoutAnyRealTimeOrThread() {
        Subscription<String> subscription = added("a");
        Job<String> lost = stage.await(jobs.processor().accept(MAIL)).orElseThrow();
        stage.time().advance(TIMEOUT.dividedBy(2));
        stage.await(jobs.processor().update(database, lost, "half"));
        Job<String> recovered = stage.await(instance().processor().accept(MAIL)).orElseThrow();
        stage.await(jobs.processor().finish(database, recovered, "done"));
        Optional<JobEvent<String>> end = stage.await(subscription.awaitEvent(FINISHED, HOUR));

        assertThat(recovered.data()).isEqualTo("half");
        assertThat(end).hasValueSatisfying(event -> assertThat(event.data()).contains("done"));
        CompletableFuture<Void> tooLate = jobs.processor().finish(database, lost);
        assertThatThrownBy(() -> stage.await(tooLate)).hasCauseInstanceOf(JobHaltedException.class);
    }

    @Test
    void aJobThatIsScheduledInAnHourIsAcceptedWhenTheHourIsOverAndNotBefore() {
        Instant due = stage.time().instant().plus(HOUR);
        stage.await(jobs.add(database, NewJob.of(MAIL, "later").id("a").at(due)));
        CompletableFuture<Optional<Job<String>>> accepted = jobs.processor().accept(MAIL);

        advanceTo(due.minus(INSTANT));
        assertThat(accepted).isNotDone();

        advanceTo(due);
        assertThat(accepted).isDone();
        assertThat(accepted.join())
                .hasValueSatisfying(job -> assertThat(job.scheduledTime()).contains(due));
    }

    @Test
    void aScheduledJobIsAcceptedInTimeThoughTheWallClockIsSetForwardMeanwhile() {
        Instant due = stage.time().instant().plus(HOUR);
        stage.await(jobs.add(database, NewJob.of(MAIL, "later").id("a").at(due)));
        CompletableFuture<Optional<Job<String>>> accepted = jobs.processor().accept(MAIL);
        stage.time().runUntilIdle();

        stage.time().setInstant(due);
        stage.time().advance(Duration.ofSeconds(30));

        assertThat(accepted).isDone();
    }

    @Test
    void aScheduledJobIsNotAcceptedEarlyThoughTheWallClockIsSetBackMeanwhile() {
        Instant due = stage.time().instant().plusSeconds(20);
        stage.await(jobs.add(database, NewJob.of(MAIL, "later").id("a").at(due)));
        CompletableFuture<Optional<Job<String>>> accepted = jobs.processor().accept(MAIL);
        stage.time().runUntilIdle();

        stage.time().setInstant(due.minus(HOUR));
        advanceTo(due.minus(INSTANT));
        assertThat(accepted).isNotDone();

        advanceTo(due);
        assertThat(accepted).isDone();
    }

    @Test
    void acceptAnswersAtItsDeadlineAndNotBefore() {
        CompletableFuture<Optional<Job<String>>> accepted =
                jobs.processor().accept(MAIL, AcceptOptions.defaults().timeout(HOUR));

        stage.time().advance(HOUR.minus(INSTANT));
        assertThat(accepted).isNotDone();

        stage.time().advance(INSTANT);
        assertThat(accepted).isDone();
        assertThat(accepted.join()).isEmpty();
    }

    @Test
    void acceptIsWokenAtOnce() {
        CompletableFuture<Optional<Job<String>>> accepted = jobs.processor().accept(MAIL);
        stage.time().advance(HOUR);
        added("a");

        stage.time().runUntilIdle();

        assertThat(accepted).isDone();
    }

    @Test
    void waitAnswersAtItsDeadlineAndNotBefore() {
        Subscription<String> subscription = added("a");
        CompletableFuture<Optional<JobEvent<String>>> event = subscription.awaitEvent(HOUR);

        stage.time().advance(HOUR.minus(INSTANT));
        assertThat(event).isNotDone();

        stage.time().advance(INSTANT);
        assertThat(event).isDone();
        assertThat(event.join()).isEmpty();
    }

    @Test
    void aWaitForAResultSetsNoTimerButThatOfItsTimeout() {
        stage.await(jobs.add(database, MAIL, "a", "new"));
        VirtualScheduler timers = new VirtualScheduler(); // nothing drives it: what is set stays set
        Environment environment = new Environment(stage.time(), timers, new Random(2));
        try (CouchJobs waiting =
                CouchJobs.builder(database).environment(environment).build()) {
            CompletableFuture<?> result = waiting.resultAsync(MAIL, "a", HOUR);
            stage.time().runUntilIdle();

            assertThat(result).isNotDone();
            assertThat(timers.shutdownNow())
                    .filteredOn(ScheduledFuture.class::isInstance)
                    .singleElement(type(Delayed.class))
                    .satisfies(timer ->
                            assertThat(timer.getDelay(TimeUnit.NANOSECONDS)).isEqualTo(HOUR.toNanos()));
        }
    }

    @Test
    void waitIsWokenAtOnceFromWhereverTheChangeComes() {
        Subscription<String> subscription = added("a");
        CompletableFuture<Optional<JobEvent<String>>> event = subscription.awaitEvent(HOUR);
        try (CouchJobs elsewhere = instance()) {
            stage.await(elsewhere.add(database, MAIL, "a", "newer"));
        }

        stage.time().runUntilIdle();

        assertThat(event).isDone();
        assertThat(event.join())
                .hasValueSatisfying(change -> assertThat(change.state()).isEqualTo(PENDING));
    }

    @Test
    void aFollowerWhoHasHeardAllIsNotLateHoweverLongNothingHappens() {
        Subscription<String> subscription = added("a");
        added("b");
        jobs.maintenance().monitor(MAIL);
        stage.await(jobs.add(database, MAIL, "a", "newer"));
        assertThat(stage.await(subscription.awaitEvent(HOUR))).isPresent();
        stage.time().advance(HOUR); // far longer than the feed is kept
        CompletableFuture<Optional<JobEvent<String>>> event = subscription.awaitEvent(HOUR);

        stage.await(jobs.remove(database, MAIL, "b"));
        stage.time().runUntilIdle();
        assertThat(event).isNotDone();

        stage.await(jobs.remove(database, MAIL, "a"));
        stage.time().runUntilIdle();
        assertThat(event).isDone();
    }

    private Subscription<String> added(String jobId) {
        stage.await(jobs.add(database, MAIL, jobId, "new"));
        return stage.await(jobs.subscribe(database, MAIL, jobId));
    }

    private void advanceTo(Instant instant) {
        stage.time().advance(Duration.between(stage.time().instant(), instant));
    }
}
