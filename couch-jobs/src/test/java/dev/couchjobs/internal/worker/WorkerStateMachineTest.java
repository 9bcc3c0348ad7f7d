package dev.couchjobs.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.internal.accept.ClaimConsumer.Demand;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.worker.WorkerStateMachine.Phase;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a worker does after each event. */
class WorkerStateMachineTest {
    private static final Disposition SUCCESS = new Disposition.Succeeded(Optional.empty());

    private final WorkerWorld world = new WorkerWorld(2, 1);

    @Test
    void claimsNothingBeforeItsOrdersAreKnown() {
        assertThat(world.claim(0)).isEqualTo(Demand.NONE);

        assertThat(world.order(Phase.RUNNING)).isFalse();

        assertThat(world.effects()).containsExactly("let a claim");
        assertThat(world.claim(0)).isEqualTo(new Demand(2, true, true));
    }

    @Test
    void beginsAClaimedJobOnAThreadOfTheExecutor() {
        world.run();
        world.claim(0);

        world.deliver(0, 1);

        assertThat(world.effects()).containsExactly("resume heartbeats of a", "start a thread", "check starvation");
        assertThat(world.threadStarts()).isEqualTo("a1");
        assertThat(world.machine().running()).isEqualTo(1);
    }

    @Test
    void claimsForTheOtherSlotWhileAJobRuns() {
        world.run();
        world.claim(0);
        world.deliver(0, 1);
        world.threadStarts();

        assertThat(world.claim(0).jobs()).isEqualTo(1);
    }

    @Test
    void aThreadThatTakesAJobStartsTheNextThreadIfAnotherJobCanBegin() {
        world.run();
        world.claim(0);
        world.deliver(0, 2);
        world.effects();

        world.threadStarts();

        assertThat(world.effects()).contains("start a thread");
    }

    @Test
    void aTypeWithoutAFreeSlotClaimsWhenOneIsFree() {
        WorkerWorld two = new WorkerWorld(1, 2);
        two.run();
        two.claim(0);
        two.deliver(0, 1);
        two.threadStarts();
        assertThat(two.claim(1)).isEqualTo(Demand.NONE);
        two.effects();

        two.handlerReturns("a1", SUCCESS);

        assertThat(two.effects()).containsExactly("let b claim");
        assertThat(two.ends()).containsExactly("a1 Succeeded");
    }

    @Test
    void aWorkerThatIsPausedPutsBackWhatWaitsAndClaimsNothing() {
        world.run();
        world.claim(0);
        world.deliver(0, 2);
        world.threadStarts();

        assertThat(world.order(Phase.PAUSED)).isTrue();

        assertThat(world.ends()).containsExactly("a2 PutBack");
        assertThat(world.claim(0)).isEqualTo(Demand.NONE);
    }

    @Test
    void aPausedWorkerPutsBackWhatAClaimBringsLater() {
        world.run();
        world.claim(0);
        world.order(Phase.PAUSED);
        world.effects();

        world.deliver(0, 1);

        assertThat(world.ends()).containsExactly("a1 PutBack");
        assertThat(world.effects()).contains("last claim ended").doesNotContain("start a thread");
    }

    @Test
    void aDrainedWorkerClosesWhenItsLastJobHasEnded() {
        world.run();
        world.claim(0);
        world.deliver(0, 1);
        world.threadStarts();
        world.order(Phase.DRAINING);
        assertThat(world.effects()).doesNotContain("close");

        world.handlerReturns("a1", SUCCESS);

        assertThat(world.effects()).contains("close");
    }

    @Test
    void aClosingWorkerWaitsForItsHandlers() {
        world.run();
        world.claim(0);
        world.deliver(0, 1);
        world.threadStarts();

        world.machine().close();
        assertThat(world.effects()).doesNotContain("handlers are done");

        world.handlerReturns("a1", SUCCESS);
        assertThat(world.effects()).contains("handlers are done");
    }

    @Test
    void aClosingWorkerWhoseTimeIsUpReleasesItsJobsAndStopsTheirHandlers() {
        world.run();
        world.claim(0);
        world.deliver(0, 1);
        world.threadStarts();
        world.machine().close();
        world.effects();

        world.machine().timeIsUp();

        assertThat(world.ends()).containsExactly("a1 Released");
        assertThat(world.effects()).contains("stop a1", "handlers are done");
    }

    @Test
    void aHandlerThatDoesNotStopLeavesItsSlotStuckUntilItReturns() {
        world.run();
        world.claim(0);
        world.deliver(0, 1);
        world.threadStarts();
        world.stop("a1");
        assertThat(world.effects()).contains("stop a1", "check whether a1 is stuck");

        assertThat(world.machine().checkStuck(world.run("a1"))).isTrue();
        assertThat(world.machine().checkStuck(world.run("a1"))).isFalse();
        assertThat(world.machine().stuck()).isEqualTo(1);

        world.handlerReturns("a1", SUCCESS);
        assertThat(world.machine().stuck()).isZero();
        assertThat(world.ends()).containsExactly("a1 Failed");
    }

    @Test
    void aLostClaimHasNoEnd() {
        world.run();
        world.claim(0);
        world.deliver(0, 1);
        world.threadStarts();

        assertThat(world.lose("a1")).isTrue();
        world.handlerReturns("a1", SUCCESS);

        assertThat(world.ends()).isEmpty();
    }

    @Test
    void aSecondSuspectIsClaimedOnlyWhenTheFirstHasRunForAWhile() {
        world.run();
        world.claim(0);
        world.deliverSuspect(0);
        world.threadStarts();
        assertThat(world.effects()).contains("a1 has run in PT1S");
        assertThat(world.claim(0)).isEqualTo(new Demand(1, true, false));
        world.deliver(0, 0);

        world.machine().suspectHasRun(world.run("a1"));

        assertThat(world.effects()).contains("let a claim");
        assertThat(world.claim(0)).isEqualTo(new Demand(1, true, true));
    }

    @Test
    void anExecutorThatRefusesTwiceGetsNothingUntilItIsAskedAgain() {
        world.run();
        world.claim(0);
        world.deliver(0, 1);
        assertThat(world.machine().executorRefused()).hasSeconds(1);
        assertThat(world.ends()).isEmpty();
        world.machine().askExecutorAgain();
        assertThat(world.effects()).contains("start a thread");

        assertThat(world.machine().executorRefused()).hasSeconds(2);
        assertThat(world.ends()).containsExactly("a1 PutBack");
        assertThat(world.claim(0)).isEqualTo(Demand.NONE);

        world.machine().askExecutorAgain();
        assertThat(world.effects()).contains("let a claim");
    }

    @Test
    void aStartIsStoredWhenTheJobHasRunForAWholePeriod() {
        world.run();
        world.claim(0);
        world.deliver(0, 1);
        world.threadStarts();
        assertThat(world.effects()).contains("confirm starts of a");

        assertThat(world.confirmStarts(0)).isEmpty();
        assertThat(world.confirmStarts(0)).containsExactly("a1");
    }

    @Test
    void aJobThatWaitsForAWholeRoundOfHeartbeatsIsPutBack() {
        WorkerWorld one = new WorkerWorld(1, 1);
        one.run();
        one.claim(0);
        one.deliver(0, 1);
        one.threadStarts();
        one.claim(0);
        one.deliver(0, 1);
        assertThat(one.nextRound(0)).isEmpty();

        assertThat(one.nextRound(0)).containsExactly("a1");
        assertThat(one.ends()).containsExactly("a2 PutBack");
    }

    @Test
    void answersEachEndOnce() {
        world.run();
        world.claim(0);
        world.deliver(0, 1);
        world.threadStarts();
        world.stop("a1");
        assertThat(world.lose("a1")).isFalse();
        world.handlerReturns("a1", SUCCESS);
        world.machine().close();
        world.machine().timeIsUp();

        assertThat(world.ends()).isEqualTo(List.of("a1 Failed"));
    }
}
