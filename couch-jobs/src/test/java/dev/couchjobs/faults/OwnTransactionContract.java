package dev.couchjobs.faults;

import static dev.couchjobs.JobState.FINISHED;
import static dev.couchjobs.JobState.PENDING;
import static dev.couchjobs.JobState.RUNNING;
import static dev.couchjobs.faults.Scene.MAIL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Job;
import dev.couchjobs.JobAlreadyFinishedException;
import dev.couchjobs.JobHaltedException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Verbs that join the caller's transaction, which is retried as a whole: the fence keeps its effects to one time. */
abstract class OwnTransactionContract extends FaultsContract {
    @SuppressWarnings("NullAway.Init")
    private Scene scene;

    @SuppressWarnings("NullAway.Init")
    private Job<String> job;

    @BeforeEach
    void claimAJob() {
        scene = new Scene(stage);
        job = CreationVerbs.running(scene);
    }

    @AfterEach
    void leaveTheScene() {
        assertThat(scene.rows().contradictions()).isEmpty();
        scene.close();
    }

    private <T> CompletableFuture<T> effectAnd(Function<Transaction, CompletableFuture<T>> verb) {
        return scene.faulty.runAsync(tx -> {
            tx.mutate(MutationType.ADD, scene.effectKey(), new byte[] {1});
            return verb.apply(tx);
        });
    }

    private CompletableFuture<?> finishWithEffect() {
        return effectAnd(tx -> scene.jobs.finish(tx, job));
    }

    @ParameterizedTest(name = "after {0}")
    @EnumSource(
            value = Fault.class,
            names = {
                "CONFLICT",
                "UNKNOWN_AND_NOT_COMMITTED",
                "TOO_OLD_AT_COMMIT",
                "FUTURE_VERSION_AT_COMMIT",
                "TOO_OLD_AT_READ",
                "FUTURE_VERSION_AT_READ"
            })
    void aFencedTransactionThatDidNotCommitIsDoneOnceByItsRetry(Fault fault) {
        scene.script.next(fault);

        scene.await(finishWithEffect());

        assertThat(scene.effects()).isEqualTo(1);
        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED);
    }

    @Test
    void aFencedTransactionThatDidCommitIsToldSoAndItsEffectHappensOnce() {
        scene.script.next(Fault.UNKNOWN_BUT_COMMITTED);

        assertThatThrownBy(() -> scene.await(finishWithEffect())).hasCauseInstanceOf(JobAlreadyFinishedException.class);

        assertThat(scene.effects()).isEqualTo(1);
        assertThat(scene.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED);
    }

    @Test
    void aFencedTransactionThatDidCommitIsToldSoThoughTheJobIsPendingAgain() {
        scene.script
                .next(Fault.UNKNOWN_BUT_COMMITTED)
                .meanwhile(() -> scene.others.add(scene.database(), MAIL, "a", "again"));

        assertThatThrownBy(() -> scene.await(finishWithEffect())).hasCauseInstanceOf(JobAlreadyFinishedException.class);

        assertThat(scene.effects()).isEqualTo(1);
        assertThat(scene.runs()).isEqualTo(1);
    }

    /** Who finished a job is forgotten when it is claimed again; that this claim is over is told all the same. */
    @Test
    void aFencedTransactionThatDidCommitIsHaltedOnceTheJobIsAnothers() {
        scene.script
                .next(Fault.UNKNOWN_BUT_COMMITTED)
                .meanwhile(() ->
                        scene.others.add(scene.database(), MAIL, "a", "again").thenCompose(added -> scene.claim()));

        assertThatThrownBy(() -> scene.await(finishWithEffect())).hasCauseInstanceOf(JobHaltedException.class);

        assertThat(scene.effects()).isEqualTo(1);
        assertThat(scene.state("a")).isEqualTo(RUNNING);
    }

    @Test
    void theEffectOfALostClaimDoesNotHappenThoughTheVerdictIsNotLookedAt() {
        scene.await(scene.others.remove(scene.database(), MAIL, "a"));

        assertThatThrownBy(() -> scene.await(
                        effectAnd(tx -> scene.jobs.finish(tx, job).handle((finished, error) -> "not looked at"))))
                .isInstanceOf(RuntimeException.class);

        assertThat(scene.effects()).isZero();
    }

    @Test
    void theEffectOfAClaimThatIsLostBetweenTheTriesDoesNotHappen() {
        scene.script
                .next(Fault.UNKNOWN_AND_NOT_COMMITTED)
                .meanwhile(() -> scene.others.remove(scene.database(), MAIL, "a"));

        assertThatThrownBy(() -> scene.await(effectAnd(tx -> scene.jobs.update(tx, job))))
                .hasCauseInstanceOf(JobHaltedException.class)
                .cause()
                .isNotInstanceOf(JobAlreadyFinishedException.class);

        assertThat(scene.effects()).isZero();
    }

    @Test
    void aJobIsAddedOnceWithTheTransactionOfItsCallerThatIsRetried() {
        scene.script.next(Fault.UNKNOWN_BUT_COMMITTED);

        scene.await(scene.faulty.runAsync(tx -> scene.jobs.add(tx, MAIL, "b", "new")));

        assertThat(scene.changesOf("b")).containsExactly(PENDING);
    }
}
