package dev.couchjobs.bridge.internal.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Samples;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A step is claimed, won, begun, tried and ended in this order, by the permitted nodes. */
class StepTest {
    private static final String WHO = Step.executioner("reg_a", "1");

    @Test
    void aClaimIsWonAndBegunAndEnded() {
        JobDocument job = SampleJobs.job(SampleJobs.any());
        JobDocument claimed = SampleJobs.after(job.step(0).claim("reg_a"));
        JobDocument won = SampleJobs.after(claimed.step(0).assignWinner("reg_a"));
        JobDocument begun = SampleJobs.after(won.step(0).begin("reg_a", WHO, SampleJobs.NOON, 0));
        JobDocument tried = SampleJobs.after(begun.step(0).tried("reg_a"));
        JobDocument ended = SampleJobs.ended(tried, 0, "reg_a", true);
        assertThat(ended.verdict()).contains(Verdict.SUCCESS);
        assertThat(ended.currentStep()).isEqualTo(1);
        assertThat(ended.step(0).progress().run("reg_a").orElseThrow().tries()).isEqualTo(1);
    }

    @Test
    void onlyTheWinnerBeginsAndOnlyInItsRound() {
        JobDocument claimed =
                SampleJobs.after(SampleJobs.job(SampleJobs.any()).step(0).claim("reg_a"));
        assertRefused(claimed.step(0).begin("reg_a", WHO, SampleJobs.NOON, 0), "job[0]: reg_a has not won it");
        JobDocument withdrawn = SampleJobs.after(claimed.step(0).withdraw());
        JobDocument claimedAnew = SampleJobs.after(withdrawn.step(0).claim("reg_a"));
        JobDocument won = SampleJobs.after(claimedAnew.step(0).assignWinner("reg_a"));
        assertRefused(won.step(0).begin("reg_a", WHO, SampleJobs.NOON, 0), "job[0]: this is round 1 and not 0");
        assertRefused(won.step(0).begin("reg_b", WHO, SampleJobs.NOON, 1), "job[0]: reg_b has not won it");
        assertThat(SampleJobs.after(won.step(0).begin("reg_a", WHO, SampleJobs.NOON, 1))
                        .step(0)
                        .status())
                .contains(StepRun.Status.RUNNING);
    }

    @Test
    void onlyOneNodeClaimsAndOnlyWhoClaimsWins() {
        JobDocument job = SampleJobs.job(new Target.OneOf(new TreeSet<>(List.of("reg_a", "reg_b"))));
        assertRefused(job.step(0).claim("reg_c"), "job[0]: reg_c is not among its targets");
        JobDocument claimed = SampleJobs.after(job.step(0).claim("reg_a"));
        assertRefused(claimed.step(0).claim("reg_b"), "job[0]: it is claimed already");
        assertRefused(claimed.step(0).assignWinner("reg_b"), "job[0]: reg_b does not claim it, or a node has won it");
    }

    @Test
    void whatHasBegunIsNotWithdrawnNorBegunElsewhere() {
        JobDocument begun = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_a");
        assertRefused(begun.step(0).withdraw(), "job[0]: it has begun, or no node claims it");
        assertRefused(begun.step(0).begin("reg_b", WHO, SampleJobs.NOON, 0), "job[0]: reg_b has not won it");
    }

    @Test
    void aNamedNodeBeginsWithoutAClaim() {
        JobDocument job = SampleJobs.job(new Target.OneNode("reg_a"));
        assertRefused(job.step(0).claim("reg_a"), "job[0]: its target names the nodes that run it");
        assertRefused(job.step(0).begin("reg_b", WHO, SampleJobs.NOON, 0), "job[0]: reg_b is not among its targets");
        StepProgress begun = SampleJobs.after(job.step(0).begin("reg_a", WHO, SampleJobs.NOON, 0))
                .step(0)
                .progress();
        assertThat(begun.winner()).contains("reg_a");
        assertThat(begun.run("reg_a")).contains(StepRun.beginning(WHO, SampleJobs.NOON));
    }

    @Test
    void aNodeBeginsAgainWhatItsLostProcessHadBegun() {
        JobDocument begun = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_a");
        JobDocument tried = SampleJobs.after(begun.step(0).tried("reg_a"));
        StepRun again = SampleJobs.after(
                        tried.step(0).begin("reg_a", "Node: reg_a, worker: 2", SampleJobs.NOON.plusHours(1), 0))
                .step(0)
                .progress()
                .run("reg_a")
                .orElseThrow();
        assertThat(again.begun()).isEqualTo(2);
        assertThat(again.tries()).isEqualTo(1);
        assertThat(again.start()).contains(SampleJobs.NOON);
    }

    @Test
    void stepsGoInTheirOrderAndTheNextOnlyAfterSuccess() {
        JobDocument job = SampleJobs.job(SampleJobs.any(), SampleJobs.any());
        assertRefused(job.step(1).claim("reg_a"), "job[1]: it is not the current step");
        JobDocument failed = SampleJobs.ended(SampleJobs.begun(job, 0, "reg_a"), 0, "reg_a", false);
        assertRefused(failed.step(1).claim("reg_a"), "job[1]: the job has ended");
        assertThat(failed.current()).isEmpty();
        JobDocument succeeded = SampleJobs.ended(SampleJobs.begun(job, 0, "reg_a"), 0, "reg_a", true);
        assertThat(succeeded.current()).contains(succeeded.step(1));
        assertThat(succeeded.isEnded()).isFalse();
    }

    @Test
    void whileAStepRunsTheNextIsClaimedAndWonButNotBegun() {
        JobDocument job = SampleJobs.job(SampleJobs.any(), SampleJobs.any(), SampleJobs.any());
        JobDocument begun = SampleJobs.begun(job, 0, "reg_a");
        JobDocument claimed = SampleJobs.after(begun.step(1).claim("reg_a"));
        JobDocument won = SampleJobs.after(claimed.step(1).assignWinner("reg_a"));
        assertRefused(won.step(1).begin("reg_a", WHO, SampleJobs.NOON, 0), "job[1]: it is not the current step");
        assertRefused(won.step(1).withdraw(), "job[1]: it is not the current step");
        assertRefused(won.step(2).claim("reg_a"), "job[2]: it is not the current step");
        JobDocument next = SampleJobs.after(
                SampleJobs.ended(won, 0, "reg_a", true).step(1).begin("reg_a", WHO, SampleJobs.NOON, 0));
        assertThat(next.step(1).status()).contains(StepRun.Status.RUNNING);
    }

    @Test
    void whileAStepRunsOnAllNodesTheNextIsNotClaimed() {
        JobDocument begun =
                SampleJobs.begun(SampleJobs.job(SampleJobs.all("reg_a", "reg_b"), SampleJobs.any()), 0, "reg_a");
        assertRefused(begun.step(1).claim("reg_a"), "job[1]: it is not the current step");
    }

    @Test
    void nothingBeginsInAJobThatHasEndedButWhatRunsMayStillSayWhatCameOfIt() {
        JobDocument begun = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_a");
        JobDocument cancelled = begun.cancel("by hand");
        assertRefused(cancelled.step(0).begin("reg_a", WHO, SampleJobs.NOON, 0), "job[0]: the job has ended");
        assertRefused(cancelled.step(0).tried("reg_a"), "job[0]: the job has ended");
        JobDocument ended = SampleJobs.ended(cancelled, 0, "reg_a", true);
        assertThat(ended.verdict()).isEqualTo(cancelled.verdict());
        assertThat(ended.step(0).status()).contains(StepRun.Status.FINISHED);
    }

    @Test
    void aStepOnAllNodesRunsOnceOnEach() {
        JobDocument job = SampleJobs.job(SampleJobs.all("reg_a", "reg_b"));
        JobDocument onA = SampleJobs.ended(SampleJobs.begun(job, 0, "reg_a"), 0, "reg_a", true);
        assertRefused(onA.step(0).begin("reg_a", WHO, SampleJobs.NOON, 0), "job[0]: it has ended");
        assertRefused(onA.step(0).begin("reg_c", WHO, SampleJobs.NOON, 0), "job[0]: reg_c is not among its targets");
        assertThat(onA.step(0).status()).contains(StepRun.Status.RUNNING);
        JobDocument onBoth = SampleJobs.ended(SampleJobs.begun(onA, 0, "reg_b"), 0, "reg_b", true);
        assertThat(onBoth.verdict()).contains(Verdict.SUCCESS);
    }

    @Test
    void aRunEndsOnce() {
        JobDocument ended =
                SampleJobs.ended(SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_a"), 0, "reg_a", true);
        assertRefused(
                ended.step(0).end("reg_a", SampleJobs.NOON, false, StepRunEnd.silent()),
                "job[0]: it does not run on reg_a");
    }

    @Test
    void aFailureSaysWhatFailedWhereAndWhy() {
        JobDocument begun = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_a");
        StepRunEnd end = new StepRunEnd(
                OptionalInt.of(127), OptionalInt.empty(), Optional.empty(), false, Optional.of("command not found"));
        JobDocument failed = SampleJobs.after(begun.step(0).end("reg_a", SampleJobs.NOON, false, end));
        assertThat(failed.verdict()).contains(Verdict.failed("job[0] has failed on reg_a: command not found"));
    }

    @Test
    void outputIsCutToWhatADocumentCanTake() {
        JobDocument begun = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_a");
        String output = "begin" + "\u00e4".repeat(40_000) + "end";
        StepRunEnd end = new StepRunEnd(
                OptionalInt.of(0), OptionalInt.empty(), Optional.of(output), false, Optional.of("r".repeat(2_000)));
        JobDocument ended = SampleJobs.after(begun.step(0).end("reg_a", SampleJobs.NOON, true, end));
        StepRunEnd kept =
                ended.step(0).progress().run("reg_a").orElseThrow().end().orElseThrow();
        assertThat(kept.isOutputCut()).isTrue();
        assertThat(kept.output().orElseThrow()).endsWith("end").startsWith("\u00e4");
        assertThat(DocumentLimits.bytes(kept.output().orElseThrow())).isLessThanOrEqualTo(DocumentLimits.STRING_BYTES);
        assertThat(kept.reason().orElseThrow()).hasSize(DocumentLimits.REASON);
        assertThat(new DocumentReader(SampleJobs.CLUSTER).read(DocumentWriter.write(ended)))
                .isEqualTo(new ParsedDocument.Job(ended));
    }

    @Test
    void onlyTheCurrentStepRunsAndTheNextIsClaimedAtMostAndOnlyByItsTargets() {
        Samples.check(250, samples -> {
            JobDocument job = SampleJobs.history(samples);
            for (int i = 0; i < job.plan().steps().size(); i++) {
                Step step = job.step(i);
                assertThat(step.progress().runs().keySet()).allMatch(step.plan().target()::includes);
                assertThat(step.progress().claimedBy().stream())
                        .allMatch(step.plan().target()::includes);
                if (i < job.currentStep()) {
                    assertThat(step.status()).contains(StepRun.Status.FINISHED);
                } else if (i > job.currentStep()) {
                    boolean mayBeClaimed = job.step(i - 1).progress().hasBegun()
                            && !(job.step(i - 1).plan().target() instanceof Target.All);
                    assertThat(step.progress().hasBegun()).isFalse();
                    assertThat(mayBeClaimed || step.progress().equals(StepProgress.open()))
                            .isTrue();
                }
            }
        });
    }

    private static void assertRefused(Transition transition, String reason) {
        assertThat(transition).isEqualTo(new Transition.Refused(reason));
    }
}
