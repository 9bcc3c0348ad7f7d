package dev.couchjobs.faults;

import static dev.couchjobs.JobState.FINISHED;
import static dev.couchjobs.JobState.PENDING;
import static dev.couchjobs.JobState.RUNNING;
import static dev.couchjobs.faults.FaultFixture.MAIL;
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
    private FaultFixture fixture;

    @SuppressWarnings("NullAway.Init")
    private Job<String> job;

    @BeforeEach
    void claimAJob() {
        fixture = new FaultFixture(stage);
        job = CreationCases.running(fixture);
    }

    @AfterEach
    void leaveTheScene() {
        assertThat(fixture.rows().contradictions()).isEmpty();
        fixture.close();
    }

    private <T> CompletableFuture<T> effectAnd(Function<Transaction, CompletableFuture<T>> verb) {
        return fixture.faulty.runAsync(tx -> {
            tx.mutate(MutationType.ADD, fixture.effectKey(), new byte[] {1});
            return verb.apply(tx);
        });
    }

    private CompletableFuture<?> finishWithEffect() {
        return effectAnd(tx -> fixture.jobs.processor().finish(tx, job));
    }

    @ParameterizedTest(name = "after {0}")
    @EnumSource(
            value = StepFault.class,
            names = {
                "CONFLICT",
                "UNKNOWN_AND_NOT_COMMITTED",
                "TOO_OLD_AT_COMMIT",
                "FUTURE_VERSION_AT_COMMIT",
                "TOO_OLD_AT_READ",
                "FUTURE_VERSION_AT_READ"
            })
    void aFencedTransactionThatDidNotCommitIsDoneOnceByItsRetry(StepFault fault) {
        fixture.script.next(fault);

        fixture.await(finishWithEffect());

        assertThat(fixture.effects()).isEqualTo(1);
        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED);
    }

    @Test
    void aFencedTransactionThatDidCommitIsToldSoAndItsEffectHappensOnce() {
        fixture.script.next(StepFault.UNKNOWN_BUT_COMMITTED);

        assertThatThrownBy(() -> fixture.await(finishWithEffect()))
                .hasCauseInstanceOf(JobAlreadyFinishedException.class);

        assertThat(fixture.effects()).isEqualTo(1);
        assertThat(fixture.changesOf("a")).containsExactly(PENDING, RUNNING, FINISHED);
    }

    @Test
    void aFencedTransactionThatDidCommitIsToldSoThoughTheJobIsPendingAgain() {
        fixture.script
                .next(StepFault.UNKNOWN_BUT_COMMITTED)
                .meanwhile(() -> fixture.others.add(fixture.database(), MAIL, "a", "again"));

        assertThatThrownBy(() -> fixture.await(finishWithEffect()))
                .hasCauseInstanceOf(JobAlreadyFinishedException.class);

        assertThat(fixture.effects()).isEqualTo(1);
        assertThat(fixture.runs()).isEqualTo(1);
    }

    /** Who finished a job is forgotten when it is claimed again; that this claim is over is told all the same. */
    @Test
    void aFencedTransactionThatDidCommitIsHaltedOnceTheJobIsAnothers() {
        fixture.script
                .next(StepFault.UNKNOWN_BUT_COMMITTED)
                .meanwhile(() -> fixture.others
                        .add(fixture.database(), MAIL, "a", "again")
                        .thenCompose(added -> fixture.claim()));

        assertThatThrownBy(() -> fixture.await(finishWithEffect())).hasCauseInstanceOf(JobHaltedException.class);

        assertThat(fixture.effects()).isEqualTo(1);
        assertThat(fixture.state("a")).isEqualTo(RUNNING);
    }

    @Test
    void theEffectOfALostClaimDoesNotHappenThoughTheVerdictIsNotLookedAt() {
        fixture.await(fixture.others.remove(fixture.database(), MAIL, "a"));

        assertThatThrownBy(() -> fixture.await(effectAnd(
                        tx -> fixture.jobs.processor().finish(tx, job).handle((finished, error) -> "not looked at"))))
                .isInstanceOf(RuntimeException.class);

        assertThat(fixture.effects()).isZero();
    }

    @Test
    void theEffectOfAClaimThatIsLostBetweenTheTriesDoesNotHappen() {
        fixture.script
                .next(StepFault.UNKNOWN_AND_NOT_COMMITTED)
                .meanwhile(() -> fixture.others.remove(fixture.database(), MAIL, "a"));

        assertThatThrownBy(() ->
                        fixture.await(effectAnd(tx -> fixture.jobs.processor().update(tx, job))))
                .hasCauseInstanceOf(JobHaltedException.class)
                .cause()
                .isNotInstanceOf(JobAlreadyFinishedException.class);

        assertThat(fixture.effects()).isZero();
    }

    @Test
    void aJobIsAddedOnceWithTheTransactionOfItsCallerThatIsRetried() {
        fixture.script.next(StepFault.UNKNOWN_BUT_COMMITTED);

        fixture.await(fixture.faulty.runAsync(tx -> fixture.jobs.add(tx, MAIL, "b", "new")));

        assertThat(fixture.changesOf("b")).containsExactly(PENDING);
    }
}
