package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.ClockSkew;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.NewJob;
import dev.couchjobs.Retention;
import dev.couchjobs.Worker;
import dev.couchjobs.faults.VirtualStage;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Processes whose clocks are days apart: no job is removed or held back on the word of one of them. */
class ClockSkewTest {
    private static final Duration KEPT = Duration.ofHours(6);
    private static final Duration MONTH = Duration.ofDays(31);
    private static final Duration MINUTES = Duration.ofMinutes(15);
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    /** More than one claim takes stock of. */
    private static final int BACKLOG = 200;

    private static final JobType<String, ?> MAIL =
            JobType.of("mail", String.class).retention(Retention.of(KEPT));
    private static final JobType<String, ?> ARCHIVED =
            JobType.of("archived", String.class).retention(Retention.of(KEPT).archived());

    private final VirtualStage stage = new VirtualStage(3);
    private final Database database = stage.database();
    private final List<CouchJobs> processes = new ArrayList<>();
    private final List<String> archived = new ArrayList<>();

    /** A process whose clock is that far ahead of the time. */
    private CouchJobs process(String name, Duration ahead) {
        return process(name, InstantSource.offset(stage.environment().clock(), ahead));
    }

    private CouchJobs process(String name, InstantSource clock) {
        Environment right = stage.environment();
        CouchJobs process = CouchJobs.builder(database)
                .environment(new Environment(clock, right.scheduler(), right.random()))
                .name(name)
                .build();
        processes.add(process);
        return process;
    }

    private CouchJobs sweeping(String name, Duration ahead) {
        CouchJobs process = process(name, ahead);
        process.maintenance().monitor(MAIL);
        stage.time().advance(Duration.ofSeconds(1));
        return process;
    }

    private CouchJobs archiving(String name, Duration ahead) {
        CouchJobs process = process(name, ahead);
        process.maintenance().archive(ARCHIVED, page -> {
            page.forEach(job -> archived.add(name + " " + job.id()));
            return CompletableFuture.completedFuture(page);
        });
        stage.time().advance(Duration.ofSeconds(1));
        return process;
    }

    /** The process that accepts the job sweeps its type, and so notes its clock. */
    private void finishedBy(String name, JobType<String, ?> type) {
        CouchJobs process = process(name, Duration.ZERO);
        stage.await(process.add(database, type, "a", "data"));
        Job<String> job = stage.await(process.processor().accept(type, AcceptOptions.nonBlocking()))
                .orElseThrow();
        stage.await(process.processor().finish(database, job));
        process.close();
    }

    private JobState state() {
        return state("a");
    }

    private JobState state(String id) {
        return stage.await(processes.get(0).getJobState(database, MAIL, id));
    }

    @BeforeEach
    void createTypes() {
        CouchJobs process = process("setup", Duration.ZERO);
        stage.await(process.types().setTypeTimeout(database, MAIL, TIMEOUT));
        stage.await(process.types().setTypeTimeout(database, ARCHIVED, TIMEOUT));
    }

    @AfterEach
    void close() {
        processes.forEach(CouchJobs::close);
        stage.close();
    }

    @Test
    void aProcessThatIsAMonthAheadRemovesNothing() {
        finishedBy("right", MAIL);
        sweeping("right", Duration.ZERO);
        CouchJobs ahead = sweeping("ahead", MONTH);

        stage.time().advance(MINUTES);

        assertThat(state()).isEqualTo(JobState.FINISHED);
        ClockSkew skew = stage.await(ahead.maintenance().clockSkew(database));
        assertThat(skew.isExceeded()).isTrue();
        assertThat(skew.others()).isOne();
        assertThat(skew.ahead()).isBetween(MONTH.minusSeconds(2), MONTH.plusSeconds(2));
    }

    @Test
    void aClockThatIsWrongOnlyAtTheBeginningOfASweepRemovesNothing() {
        finishedBy("right", MAIL);
        AtomicBoolean isAhead = new AtomicBoolean();
        Environment right = stage.environment();
        InstantSource clock = () -> {
            Instant now = right.clock().instant();
            return isAhead.getAndSet(false) ? now.plus(MONTH) : now;
        };
        CouchJobs process = process("set right", clock);
        stage.time().runUntilIdle();

        isAhead.set(true);
        process.maintenance().monitor(MAIL);
        stage.time().advance(MINUTES);

        assertThat(isAhead).isFalse();
        assertThat(state()).isEqualTo(JobState.FINISHED);
    }

    @Test
    void theMostOfThreeClocksRemoveWhatIsDue() {
        finishedBy("right", MAIL);
        CouchJobs right = sweeping("right", Duration.ZERO);
        sweeping("also right", Duration.ofSeconds(2));
        sweeping("behind", MONTH.negated());
        stage.time().advance(MINUTES);
        assertThat(state()).isEqualTo(JobState.FINISHED);
        assertThat(stage.await(right.maintenance().clockSkew(database)).isExceeded())
                .isFalse();

        stage.time().advance(KEPT);

        assertThat(state()).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void jobsAreRemovedAgainWhenTheWrongClockIsGone() {
        finishedBy("right", MAIL);
        sweeping("right", Duration.ZERO);
        CouchJobs ahead = sweeping("ahead", MONTH);
        stage.time().advance(KEPT);
        assertThat(state()).isEqualTo(JobState.FINISHED);

        ahead.close();
        stage.time().advance(Duration.ofHours(1));

        assertThat(state()).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aProcessThatIsAloneGoesByItsClock() {
        finishedBy("alone", MAIL);
        CouchJobs alone = sweeping("alone", Duration.ZERO);
        assertThat(stage.await(alone.maintenance().clockSkew(database)))
                .isEqualTo(new ClockSkew(Duration.ZERO, 0, Duration.ofMinutes(1)));

        stage.time().advance(KEPT.plus(MINUTES));

        assertThat(state()).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void jobsAreRemovedAlsoIfTheClockWasSetForwardDuringASweep() {
        AtomicReference<Duration> ahead = new AtomicReference<>(MONTH.negated());
        Environment right = stage.environment();
        CouchJobs alone = CouchJobs.builder(database)
                .environment(new Environment(
                        () -> right.clock().instant().plus(ahead.get()), right.scheduler(), right.random()))
                .listener(new JobsListener() {
                    @Override
                    public void removed(Removed removed) {
                        ahead.set(Duration.ZERO);
                    }
                })
                .build();
        processes.add(alone);
        alone.maintenance().monitor(MAIL);
        finish(alone);
        stage.time().advance(KEPT.plus(MINUTES));
        assertThat(ahead).hasValue(Duration.ZERO);

        finish(alone);
        stage.time().advance(KEPT.plus(MINUTES));

        assertThat(state()).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aProcessWithAWrongClockGoesOnWithJobsThatHaveNoTime() {
        sweeping("right", Duration.ZERO);
        CouchJobs ahead = sweeping("ahead", MONTH);
        stage.time().advance(MINUTES);
        stage.await(ahead.add(database, MAIL, "a", "data"));

        assertThat(stage.await(ahead.processor().accept(MAIL))).isPresent();
    }

    private CouchJobs outvoted(Duration ahead) {
        return outvoted(InstantSource.offset(stage.environment().clock(), ahead));
    }

    /** With two others, so that the wrong clock is outvoted. */
    private CouchJobs outvoted(InstantSource clock) {
        sweeping("right", Duration.ZERO);
        sweeping("also right", Duration.ofSeconds(2));
        CouchJobs wrong = process("wrong", clock);
        wrong.maintenance().monitor(MAIL);
        stage.time().advance(MINUTES);
        return wrong;
    }

    /** A process whose clock was that far ahead, was outvoted, and has just been set right. */
    private CouchJobs setRight(Duration ahead) {
        AtomicReference<Duration> by = new AtomicReference<>(ahead);
        CouchJobs process = outvoted(() -> stage.environment().clock().instant().plus(by.get()));
        by.set(Duration.ZERO);
        return process;
    }

    /** Its handler fails at the first attempt. */
    private Worker failingOnce(CouchJobs process) {
        return process.worker()
                .handleAsync(MAIL, job -> CompletableFuture.failedFuture(new IllegalStateException("no network")))
                .executor(stage.time())
                .concurrency(1)
                .start();
    }

    @Test
    void aRetryOfAProcessThatIsAMonthAheadIsNotPutOffByAMonth() {
        checkRetryIsNotPutOff(outvoted(MONTH));
    }

    @Test
    void aRetryIsNotPutOffWhenAClockThatWasAMonthBehindIsSetRight() {
        checkRetryIsNotPutOff(setRight(MONTH.negated()));
    }

    private void checkRetryIsNotPutOff(CouchJobs process) {
        stage.await(process.add(database, MAIL, "a", "data"));
        failingOnce(process);
        stage.time().advance(Duration.ofSeconds(1));
        process.close();

        CouchJobs other = process("a third", Duration.ZERO);
        CompletableFuture<Optional<Job<String>>> again = other.processor().accept(MAIL);
        stage.time().advance(MINUTES);

        assertThat(again).isCompletedWithValueMatching(Optional::isPresent);
    }

    @Test
    void theEndOfAJobIsKeptWhenAClockThatWasAMonthAheadIsSetRight() {
        checkEndIsKept(setRight(MONTH));
    }

    @Test
    void theEndOfAJobInAProcessThatIsAMonthBehindIsKept() {
        checkEndIsKept(outvoted(MONTH.negated()));
    }

    private void finish(CouchJobs process) {
        stage.await(process.add(database, MAIL, "a", "data"));
        Job<String> job = stage.await(process.processor().accept(MAIL, AcceptOptions.nonBlocking()))
                .orElseThrow();
        stage.await(process.processor().finish(database, job));
    }

    private void checkEndIsKept(CouchJobs process) {
        finish(process);

        checkIsKept("a");
    }

    private void checkIsKept(String id) {
        stage.time().advance(KEPT.minus(MINUTES));
        assertThat(state(id)).isEqualTo(JobState.FINISHED);

        stage.time().advance(MINUTES.multipliedBy(3));
        assertThat(state(id)).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aJobThatFailsByTheEndOfItsDependencyInAProcessThatIsAMonthBehindIsKept() {
        CouchJobs process = outvoted(MONTH.negated());
        stage.await(process.add(database, MAIL, "a", "data"));
        stage.await(process.add(database, dependent()));

        stage.await(process.control().cancel(database, MAIL, "a", "no longer wanted"));

        checkIsKept("dependent");
    }

    @Test
    void aJobThatFailsWhenAProcessThatIsAMonthBehindAddsItIsKept() {
        CouchJobs process = outvoted(MONTH.negated());
        stage.await(process.add(database, MAIL, "a", "data"));
        stage.await(process.control().cancel(database, MAIL, "a", "no longer wanted"));

        stage.await(process.add(database, dependent()));

        checkIsKept("dependent");
    }

    private static NewJob<String> dependent() {
        return NewJob.of(MAIL, "data")
                .id("dependent")
                .after(Dependency.on(MAIL, "a").ifUnsuccessful(DependencyPolicy.FAIL));
    }

    /**
     * The process that is ahead has put scheduled jobs among those that may run, before a job that has no time. With
     * one other process its clock is not outvoted.
     */
    @Test
    void aJobIsMonitoredThatWaitedBehindJobsWhichAProcessAheadTookForDue() {
        CouchJobs ahead = process("ahead", Duration.ofHours(2));
        Instant time = stage.environment().clock().instant().plus(Duration.ofHours(1));
        stage.await(ahead.addAll(
                database,
                IntStream.range(0, BACKLOG)
                        .mapToObj(i -> NewJob.of(MAIL, "data").at(time).priority(2))
                        .toList()));
        Job<String> first = stage.await(ahead.processor().accept(MAIL, AcceptOptions.nonBlocking()))
                .orElseThrow();
        stage.await(ahead.processor().finish(database, first));
        ahead.close();
        CouchJobs right = process("right", Duration.ZERO);
        right.maintenance().monitor(MAIL);
        stage.await(right.add(database, NewJob.of(MAIL, "data").id("a").priority(1)));
        stage.time().advance(MINUTES);

        CouchJobs dying = process("dying", Duration.ZERO);
        assertThat(stage.await(dying.processor().accept(MAIL, AcceptOptions.nonBlocking())))
                .hasValueSatisfying(job -> assertThat(job.id()).isEqualTo("a"));
        dying.close();
        stage.time().advance(TIMEOUT.multipliedBy(3).dividedBy(2));

        assertThat(state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void anArchiverThatIsADayAheadArchivesNothing() {
        finishedBy("right", ARCHIVED);
        archiving("right", Duration.ZERO);
        archiving("ahead", Duration.ofDays(1));

        stage.time().advance(MINUTES);

        assertThat(archived).isEmpty();
    }

    @Test
    void anArchiverThatWasADayAheadHoldsNobodyUp() {
        finishedBy("right", ARCHIVED);
        stage.time().advance(Duration.ofHours(1)); // notes of clocks are taken into account for half an hour
        CouchJobs ahead = archiving("ahead", Duration.ofDays(1)); // alone, so it takes its turn
        assertThat(archived).containsExactly("ahead a");
        ahead.close();
        finishedBy("right", ARCHIVED);

        archiving("right", Duration.ZERO);
        stage.time().advance(KEPT.plusHours(1));

        assertThat(archived).containsExactly("ahead a", "right a");
    }
}
