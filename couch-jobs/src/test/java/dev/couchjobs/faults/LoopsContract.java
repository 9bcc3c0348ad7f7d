package dev.couchjobs.faults;

import static dev.couchjobs.JobState.FINISHED;
import static dev.couchjobs.JobState.NOT_FOUND;
import static dev.couchjobs.JobState.PENDING;
import static dev.couchjobs.JobState.RUNNING;
import static dev.couchjobs.faults.Scene.LONG;
import static dev.couchjobs.faults.Scene.MAIL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.AcceptOptions;
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
    private Scene scene;

    @BeforeEach
    void setTheScene() {
        scene = new Scene(stage, Duration.ofSeconds(1));
        scene.await(scene.others.setTypeTimeout(scene.database(), IDLE, LONG));
        scene.await(scene.others.add(scene.database(), IDLE, "a", "nobody takes it"));
    }

    @AfterEach
    void leaveTheScene() {
        assertThat(scene.rows().contradictions()).isEmpty();
        scene.close();
    }

    /** Lets time pass by waiting, for a while at a time, for something that does not happen. */
    private void until(BooleanSupplier condition) {
        try (Subscription<String> idle = scene.await(scene.others.subscribe(scene.database(), IDLE, "a"))) {
            for (int i = 0; !condition.getAsBoolean(); i++) {
                assertThat(i).as("patience").isLessThan(PATIENCE);
                scene.await(scene.others.wait(idle, Duration.ofMillis(50)));
            }
        }
    }

    private void strikeRounds(Fault fault) {
        for (int round = 0; round < ROUNDS; round++) {
            scene.script.next(fault);
        }
    }

    private void failRounds() {
        until(() -> scene.script.struck() >= ROUNDS);
        scene.script.clear();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = Fault.class,
            names = {"FATAL_AT_READ", "BUG_AT_READ", "TOO_OLD_AT_READ"})
    void theMonitorPutsAJobBackAfterARunOfFailedRounds(Fault fault) {
        CreationVerbs.running(scene);
        scene.script.every(fault);
        scene.jobs.monitor(MAIL);
        failRounds();

        until(() -> scene.state("a") == PENDING);

        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, PENDING);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = Fault.class,
            names = {"FATAL_AT_COMMIT", "CONFLICT", "UNKNOWN_AND_NOT_COMMITTED"})
    void theMonitorPutsAJobBackAfterARunOfFailedCommits(Fault fault) {
        CreationVerbs.running(scene);
        scene.script.every(fault);
        scene.jobs.monitor(MAIL);
        failRounds();

        until(() -> scene.state("a") == PENDING);

        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, PENDING);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = Fault.class,
            names = {"FATAL_AT_READ", "BUG_AT_READ", "FATAL_AT_COMMIT", "CONFLICT", "UNKNOWN_AND_NOT_COMMITTED"})
    void theReleaserTellsAllWhoWaitAfterARunOfFailedRounds(Fault fault) {
        scene.added("a", "first");
        scene.await(scene.others.addAll(
                scene.database(),
                IntStream.range(0, WAITING)
                        .mapToObj(i -> NewJob.of(MAIL, "then").id("m" + i).after(MAIL, "a"))
                        .toList()));
        scene.await(scene.others.remove(scene.database(), MAIL, "a"));
        assertThat(scene.rows().data().values()).anyMatch(row -> row.state() == PENDING);
        scene.script.every(fault);
        scene.jobs.monitor(MAIL);
        failRounds();

        until(() -> scene.rows().data().values().stream().allMatch(row -> row.state() == FINISHED));

        assertThat(scene.rows().data()).hasSize(WAITING);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = Fault.class,
            names = {"FATAL_AT_READ", "BUG_AT_READ", "FATAL_AT_COMMIT", "CONFLICT", "UNKNOWN_BUT_COMMITTED"})
    void aJobWhoseTimeIsUpIsRemovedAfterARunOfFailedRounds(Fault fault) {
        finishedFor(Retention.of(Duration.ofMillis(1)));
        strikeRounds(fault);
        scene.jobs.monitor(MAIL);

        until(() -> scene.state("a") == NOT_FOUND);

        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED, NOT_FOUND);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = Fault.class,
            names = {"FATAL_AT_READ", "BUG_AT_READ", "FATAL_AT_COMMIT", "CONFLICT", "UNKNOWN_BUT_COMMITTED"})
    void anArchiveGetsEveryJobThoughRoundsFail(Fault fault) {
        finishedFor(Retention.of(Duration.ZERO).archived());
        List<String> archived = new CopyOnWriteArrayList<>();
        strikeRounds(fault);
        scene.jobs.archive(MAIL, page -> {
            page.forEach(job -> archived.add(job.id()));
            return CompletableFuture.completedFuture(null);
        });

        until(() -> scene.state("a") == NOT_FOUND);

        assertThat(archived).isNotEmpty().containsOnly("a");
        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED, NOT_FOUND);
    }

    private void finishedFor(Retention retention) {
        JobType<String, String> type =
                JobType.of("mail", String.class, String.class).retention(retention);
        Job<String> job = CreationVerbs.running(scene);
        scene.await(scene.others.finishWithResult(scene.database(), type, job, "told"));
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = Fault.class,
            names = {"FATAL_AT_READ", "BUG_AT_READ", "TOO_OLD_AT_READ"})
    void theNotifierTellsEveryChangeAfterARunOfFailedRounds(Fault fault) {
        scene.added("a", "first");
        Subscription<String> subscription = scene.await(scene.jobs.subscribe(scene.faulty, MAIL, "a"));
        scene.script.every(fault);
        scene.added("a", "second");
        failRounds();
        scene.claimed("a");

        assertThat(next(subscription).state()).isEqualTo(PENDING);
        assertThat(next(subscription).state()).isEqualTo(RUNNING);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = Fault.class,
            names = {"WATCH_FAILS", "WATCH_FIRES"})
    void theNotifierNeedsNoReliableWatch(Fault fault) {
        strikeRounds(fault);
        scene.added("a", "first");
        Subscription<String> subscription = scene.await(scene.jobs.subscribe(scene.faulty, MAIL, "a"));
        until(() -> scene.script.struck() >= ROUNDS);
        scene.added("a", "second");

        assertThat(next(subscription).data()).contains("second");
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = Fault.class,
            names = {"WATCH_FAILS", "WATCH_FIRES"})
    void theAcceptorNeedsNoReliableWatch(Fault fault) {
        strikeRounds(fault);
        CompletableFuture<Optional<Job<String>>> accepted = scene.jobs.accept(MAIL);
        until(() -> scene.script.struck() >= ROUNDS);
        scene.added("a", "new");

        assertThat(scene.await(accepted)).isPresent();
        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING);
    }

    @Test
    void theAcceptorIsWokenByItsNextWatchAfterOneThatFailed() {
        scene.script.next(Fault.WATCH_FAILS);
        CompletableFuture<Optional<Job<String>>> accepted = scene.jobs.accept(MAIL);
        until(() -> scene.script.struck() > 0);
        scene.added("a", "new");

        assertThat(scene.await(accepted)).isPresent();
    }

    @Test
    void whoeverWaitsForAJobIsToldOfAnErrorThatIsNotRetried() {
        scene.added("a", "new");
        scene.script.next(Fault.FATAL_AT_COMMIT);

        assertThatThrownBy(() -> scene.await(scene.jobs.accept(MAIL)))
                .cause()
                .isInstanceOfSatisfying(
                        FDBException.class, error -> assertThat(error.getCode()).isEqualTo(2000));
        assertThat(scene.changesOf("a")).containsExactly(PENDING);
    }

    @Test
    void whoeverComesAfterAnErrorThatIsNotRetriedGetsTheJob() {
        scene.added("a", "new");
        scene.script.next(Fault.FATAL_AT_COMMIT);
        CompletableFuture<Optional<Job<String>>> failed = scene.jobs.accept(MAIL);
        assertThatThrownBy(() -> scene.await(failed)).hasCauseInstanceOf(FDBException.class);

        Optional<Job<String>> job = scene.await(scene.jobs.accept(MAIL, AcceptOptions.nonBlocking()));

        assertThat(job).isPresent();
        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING);
    }

    private JobEvent<String> next(Subscription<String> subscription) {
        return scene.await(scene.jobs.wait(subscription, LONG)).orElseThrow();
    }
}
