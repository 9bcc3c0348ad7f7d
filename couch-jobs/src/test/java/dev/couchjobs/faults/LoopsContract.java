package dev.couchjobs.faults;

import static dev.couchjobs.JobState.FINISHED;
import static dev.couchjobs.JobState.NOT_FOUND;
import static dev.couchjobs.JobState.PENDING;
import static dev.couchjobs.JobState.RUNNING;
import static dev.couchjobs.faults.FaultFixture.LONG;
import static dev.couchjobs.faults.FaultFixture.MAIL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Job;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Retention;
import dev.couchjobs.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What runs in the background survives whatever goes wrong there, and does its work as soon as it can. */
abstract class LoopsContract extends FaultsContract {
    private static final int ROUNDS = 5;
    private static final int PATIENCE = 2_000;
    /** More than one transaction tells. */
    private static final int WAITING = 150;

    private static final JobType<String, ?> IDLE = JobType.of("idle", String.class);

    @SuppressWarnings("NullAway.Init")
    private FaultFixture fixture;

    @BeforeEach
    void setTheScene() {
        fixture = new FaultFixture(stage, Duration.ofSeconds(1));
        fixture.await(fixture.others.types().setTypeTimeout(fixture.database(), IDLE, LONG));
        fixture.await(fixture.others.add(fixture.database(), IDLE, "a", "nobody takes it"));
    }

    @AfterEach
    void leaveTheScene() {
        assertThat(fixture.rows().contradictions()).isEmpty();
        fixture.close();
    }

    /** Lets time pass by waiting, for a while at a time, for something that does not happen. */
    private void until(BooleanSupplier condition) {
        try (Subscription<String> idle = fixture.await(fixture.others.subscribe(fixture.database(), IDLE, "a"))) {
            for (int i = 0; !condition.getAsBoolean(); i++) {
                assertThat(i).as("patience").isLessThan(PATIENCE);
                fixture.await(idle.awaitEvent(Duration.ofMillis(50)));
            }
        }
    }

    private void strikeRounds(StepFault fault) {
        for (int round = 0; round < ROUNDS; round++) {
            fixture.script.next(fault);
        }
    }

    private void failRounds() {
        until(() -> fixture.script.struck() >= ROUNDS);
        fixture.script.clear();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = StepFault.class,
            names = {"FATAL_AT_READ", "BUG_AT_READ", "TOO_OLD_AT_READ"})
    void theMonitorPutsAJobBackAfterARunOfFailedRounds(StepFault fault) {
        CreationCases.running(fixture);
        fixture.script.every(fault);
        fixture.jobs.maintenance().monitor(MAIL);
        failRounds();

        until(() -> fixture.state("a") == PENDING);

        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, PENDING);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = StepFault.class,
            names = {"FATAL_AT_COMMIT", "CONFLICT", "UNKNOWN_AND_NOT_COMMITTED"})
    void theMonitorPutsAJobBackAfterARunOfFailedCommits(StepFault fault) {
        CreationCases.running(fixture);
        fixture.script.every(fault);
        fixture.jobs.maintenance().monitor(MAIL);
        failRounds();

        until(() -> fixture.state("a") == PENDING);

        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, PENDING);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = StepFault.class,
            names = {"FATAL_AT_READ", "BUG_AT_READ", "FATAL_AT_COMMIT", "CONFLICT", "UNKNOWN_AND_NOT_COMMITTED"})
    void theReleaserTellsAllWhoWaitAfterARunOfFailedRounds(StepFault fault) {
        fixture.added("a", "first");
        fixture.await(fixture.others.addAll(
                fixture.database(),
                IntStream.range(0, WAITING)
                        .mapToObj(i -> NewJob.of(MAIL, "then")
                                .id("m" + i)
                                .after(Dependency.on(MAIL, "a").ifUnsuccessful(DependencyPolicy.FAIL)))
                        .toList()));
        fixture.await(fixture.others.remove(fixture.database(), MAIL, "a"));
        assertThat(fixture.rows().data().values()).anyMatch(row -> row.state() == PENDING);
        fixture.script.every(fault);
        fixture.jobs.maintenance().monitor(MAIL);
        failRounds();

        until(() -> fixture.rows().data().values().stream().allMatch(row -> row.state() == FINISHED));

        assertThat(fixture.rows().data()).hasSize(WAITING);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = StepFault.class,
            names = {"FATAL_AT_READ", "BUG_AT_READ", "FATAL_AT_COMMIT", "CONFLICT", "UNKNOWN_BUT_COMMITTED"})
    void aJobWhoseTimeIsUpIsRemovedAfterARunOfFailedRounds(StepFault fault) {
        finishedFor(Retention.of(Duration.ofMillis(1)));
        strikeRounds(fault);
        fixture.jobs.maintenance().monitor(MAIL);

        until(() -> fixture.state("a") == NOT_FOUND);

        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED, NOT_FOUND);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = StepFault.class,
            names = {"FATAL_AT_READ", "BUG_AT_READ", "FATAL_AT_COMMIT", "CONFLICT", "UNKNOWN_BUT_COMMITTED"})
    void anArchiveGetsEveryJobThoughRoundsFail(StepFault fault) {
        finishedFor(Retention.of(Duration.ZERO).archived());
        List<String> archived = new CopyOnWriteArrayList<>();
        strikeRounds(fault);
        fixture.jobs.maintenance().archive(MAIL, page -> {
            page.forEach(job -> archived.add(job.id()));
            return CompletableFuture.completedFuture(null);
        });

        until(() -> fixture.state("a") == NOT_FOUND);

        assertThat(archived).isNotEmpty().containsOnly("a");
        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED, NOT_FOUND);
    }

    private void finishedFor(Retention retention) {
        JobType<String, String> type =
                JobType.of("mail", String.class, String.class).retention(retention);
        Job<String> job = CreationCases.running(fixture);
        fixture.await(fixture.others.processor().finishWithResult(fixture.database(), type, job, "told"));
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = StepFault.class,
            names = {"FATAL_AT_READ", "BUG_AT_READ", "TOO_OLD_AT_READ"})
    void theNotifierTellsEveryChangeAfterARunOfFailedRounds(StepFault fault) {
        fixture.added("a", "first");
        Subscription<String> subscription = fixture.await(fixture.jobs.subscribe(fixture.faulty, MAIL, "a"));
        fixture.script.every(fault);
        fixture.added("a", "second");
        failRounds();
        fixture.claimed("a");

        assertThat(next(subscription).state()).isEqualTo(PENDING);
        assertThat(next(subscription).state()).isEqualTo(RUNNING);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = StepFault.class,
            names = {"WATCH_FAILS", "WATCH_FIRES"})
    void theNotifierNeedsNoReliableWatch(StepFault fault) {
        strikeRounds(fault);
        fixture.added("a", "first");
        Subscription<String> subscription = fixture.await(fixture.jobs.subscribe(fixture.faulty, MAIL, "a"));
        until(() -> fixture.script.struck() >= ROUNDS);
        fixture.added("a", "second");

        assertThat(next(subscription).data()).contains("second");
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = StepFault.class,
            names = {"WATCH_FAILS", "WATCH_FIRES"})
    void theAcceptorNeedsNoReliableWatch(StepFault fault) {
        strikeRounds(fault);
        CompletableFuture<Optional<Job<String>>> accepted =
                fixture.jobs.processor().accept(MAIL);
        until(() -> fixture.script.struck() >= ROUNDS);
        fixture.added("a", "new");

        assertThat(fixture.await(accepted)).isPresent();
        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING);
    }

    @Test
    void theAcceptorIsWokenByItsNextWatchAfterOneThatFailed() {
        fixture.script.next(StepFault.WATCH_FAILS);
        CompletableFuture<Optional<Job<String>>> accepted =
                fixture.jobs.processor().accept(MAIL);
        until(() -> fixture.script.struck() > 0);
        fixture.added("a", "new");

        assertThat(fixture.await(accepted)).isPresent();
    }

    @Test
    void whoeverWaitsForAJobIsToldOfAnErrorThatIsNotRetried() {
        fixture.added("a", "new");
        fixture.script.next(StepFault.FATAL_AT_COMMIT);

        assertThatThrownBy(() -> fixture.await(fixture.jobs.processor().accept(MAIL)))
                .cause()
                .isInstanceOfSatisfying(
                        FDBException.class, error -> assertThat(error.getCode()).isEqualTo(2000));
        assertThat(fixture.changesOf("a")).containsExactly(PENDING);
    }

    @Test
    void whoeverComesAfterAnErrorThatIsNotRetriedGetsTheJob() {
        fixture.added("a", "new");
        fixture.script.next(StepFault.FATAL_AT_COMMIT);
        CompletableFuture<Optional<Job<String>>> failed =
                fixture.jobs.processor().accept(MAIL);
        assertThatThrownBy(() -> fixture.await(failed)).hasCauseInstanceOf(FDBException.class);

        Optional<Job<String>> job = fixture.await(fixture.jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()));

        assertThat(job).isPresent();
        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING);
    }

    private JobEvent<String> next(Subscription<String> subscription) {
        return fixture.await(subscription.awaitEvent(LONG)).orElseThrow();
    }
}
