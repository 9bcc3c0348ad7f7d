package dev.couchjobs.bridge.internal.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Samples;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The join of versions of a document, for all contents and orders. */
class MergeTest {

    @Test
    void itDoesNotMatterWhichVersionComesFirst() {
        Samples.check(250, samples -> {
            List<JobDocument> versions = SampleJobs.versions(samples, 2);
            JobDocument a = versions.get(0);
            JobDocument b = versions.get(1);
            assertThat(SampleJobs.joined(a, b)).isEqualTo(SampleJobs.joined(b, a));
        });
    }

    @Test
    void itDoesNotMatterWhichVersionsMeetFirst() {
        Samples.check(250, samples -> {
            List<JobDocument> versions = SampleJobs.versions(samples, 3);
            JobDocument a = versions.get(0);
            JobDocument b = versions.get(1);
            JobDocument c = versions.get(2);
            assertThat(SampleJobs.joined(SampleJobs.joined(a, b), c))
                    .isEqualTo(SampleJobs.joined(a, SampleJobs.joined(b, c)));
        });
    }

    @Test
    void itDoesNotMatterHowOftenAVersionComes() {
        Samples.check(250, samples -> {
            List<JobDocument> versions = SampleJobs.versions(samples, 2);
            JobDocument a = versions.get(0);
            JobDocument both = SampleJobs.joined(a, versions.get(1));
            assertThat(SampleJobs.joined(a, a)).isEqualTo(a);
            assertThat(SampleJobs.joined(both, a)).isEqualTo(both);
        });
    }

    @Test
    void nothingThatHasBegunOrSucceededIsForgotten() {
        Samples.check(250, samples -> {
            List<JobDocument> versions = SampleJobs.versions(samples, 2);
            JobDocument a = versions.get(0);
            JobDocument both = SampleJobs.joined(a, versions.get(1));
            for (int i = 0; i < a.plan().steps().size(); i++) {
                StepProgress before = a.step(i).progress();
                StepProgress after = both.step(i).progress();
                assertThat(!before.hasBegun() || after.hasBegun()).isTrue();
                if (a.step(i).status().equals(Optional.of(StepRun.Status.FINISHED))) {
                    assertThat(both.step(i).status()).contains(StepRun.Status.FINISHED);
                }
            }
            assertThat(both.currentStep()).isGreaterThanOrEqualTo(a.currentStep());
            if (a.isEnded()) {
                assertThat(both.isEnded()).isTrue();
                assertThat(Verdict.ORDER.compare(
                                both.verdict().orElseThrow(), a.verdict().orElseThrow()))
                        .isNotNegative();
            }
        });
    }

    @Test
    void whatTwoThatCouldHaveComeAboutMakeCouldHaveComeAbout() {
        Samples.check(250, samples -> {
            List<JobDocument> histories = SampleJobs.histories(samples, 2);
            JobDocument both = SampleJobs.joined(histories.get(0), histories.get(1));
            assertThat(new DocumentReader(SampleJobs.CLUSTER).read(DocumentWriter.write(both)))
                    .isInstanceOf(ParsedDocument.Job.class);
        });
    }

    @Test
    void ofTwoWhoRunAStepAndHaveClaimedTheNextTheOneWhoWasNamedHasIt() {
        JobDocument job = SampleJobs.job(SampleJobs.any(), SampleJobs.any());
        JobDocument onA =
                SampleJobs.after(SampleJobs.begun(job, 0, "reg_a").step(1).claim("reg_a"));
        JobDocument onB =
                SampleJobs.after(SampleJobs.begun(job, 0, "reg_b").step(1).claim("reg_b"));
        JobDocument named = SampleJobs.after(onB.step(1).assignWinner("reg_b"));
        JobDocument both = SampleJobs.joined(onA, named);
        assertThat(both.step(0).progress().runs()).containsOnlyKeys("reg_a");
        assertThat(both.step(1).progress().winner()).contains("reg_b");
    }

    @Test
    void aStepThatHasBegunBeatsALaterRoundInWhichItHasNot() {
        JobDocument begun = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_b");
        JobDocument claimed =
                SampleJobs.after(SampleJobs.job(SampleJobs.any()).step(0).claim("reg_b"));
        JobDocument withdrawn = SampleJobs.after(claimed.step(0).withdraw());
        JobDocument claimedAnew = SampleJobs.after(withdrawn.step(0).claim("reg_a"));
        assertThat(SampleJobs.joined(begun, claimedAnew)).isEqualTo(begun);
    }

    @Test
    void aLaterRoundBeatsAnEarlierOneInWhichSomebodyHadWon() {
        JobDocument won = won(SampleJobs.job(SampleJobs.any()), "reg_a");
        JobDocument withdrawn = SampleJobs.after(won.step(0).withdraw());
        assertThat(SampleJobs.joined(won, withdrawn)).isEqualTo(withdrawn);
    }

    @Test
    void aWinnerBeatsAClaimAndAClaimBeatsNone() {
        JobDocument open = SampleJobs.job(SampleJobs.any());
        JobDocument claimed = SampleJobs.after(open.step(0).claim("reg_a"));
        JobDocument won = won(open, "reg_b");
        assertThat(SampleJobs.joined(open, claimed)).isEqualTo(claimed);
        assertThat(SampleJobs.joined(claimed, won)).isEqualTo(won);
    }

    @Test
    void ofTwoClaimsThatOfTheFirstNodeByItsNamePrevails() {
        JobDocument a =
                SampleJobs.after(SampleJobs.job(SampleJobs.any()).step(0).claim("reg_a"));
        JobDocument b =
                SampleJobs.after(SampleJobs.job(SampleJobs.any()).step(0).claim("reg_b"));
        assertThat(SampleJobs.joined(b, a)).isEqualTo(a);
    }

    @Test
    void whereTwoNodesHaveBegunTheOneThatHasComeFurtherPrevails() {
        JobDocument running = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_a");
        JobDocument other = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_b");
        JobDocument finished = SampleJobs.ended(other, 0, "reg_b", true);
        assertThat(SampleJobs.joined(running, other)).isEqualTo(running);
        assertThat(SampleJobs.joined(running, finished)).isEqualTo(finished);
    }

    @Test
    void whereTwoNodesHaveBegunTheEarlierRoundPrevails() {
        JobDocument claimed =
                SampleJobs.after(SampleJobs.job(SampleJobs.any()).step(0).claim("reg_b"));
        JobDocument second = SampleJobs.begun(SampleJobs.after(claimed.step(0).withdraw()), 0, "reg_a");
        JobDocument first = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_b");
        assertThat(SampleJobs.joined(first, second)).isEqualTo(first);
    }

    @Test
    void aRunThatWasTakenOverBeatsTheOneThatWasLost() {
        JobDocument lost = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_a");
        JobDocument takenOver = SampleJobs.begun(lost, 0, "reg_b");
        assertThat(SampleJobs.joined(lost, takenOver)).isEqualTo(takenOver);
    }

    @Test
    void aStepOnAllNodesIsJoinedNodeByNode() {
        JobDocument open = SampleJobs.job(SampleJobs.all("reg_a", "reg_b"));
        JobDocument onA = SampleJobs.ended(SampleJobs.begun(open, 0, "reg_a"), 0, "reg_a", true);
        JobDocument onB = SampleJobs.ended(SampleJobs.begun(open, 0, "reg_b"), 0, "reg_b", true);
        JobDocument both = SampleJobs.joined(onA, onB);
        assertThat(onA.isEnded()).isFalse();
        assertThat(both.verdict()).contains(Verdict.SUCCESS);
    }

    @Test
    void allNodesAreThoseThatWereThereWhenTheStepBegan() {
        JobDocument begun = SampleJobs.begun(SampleJobs.job(SampleJobs.all("reg_a", "reg_b")), 0, "reg_a");
        JobDocument later = SampleJobs.job(SampleJobs.all("reg_a", "reg_b", "reg_c"));
        assertThat(SampleJobs.joined(later, begun)).isEqualTo(begun);
        assertThat(SampleJobs.joined(begun, later)).isEqualTo(begun);
        assertThat(Merge.join(begun, SampleJobs.begun(later, 0, "reg_c"))).isInstanceOf(Merged.PlansDiffer.class);
    }

    @Test
    void aCancelledJobStaysSoWhateverItsStepsCameTo() {
        JobDocument job = SampleJobs.job(SampleJobs.any());
        JobDocument cancelled = job.cancel("by hand");
        JobDocument succeeded = SampleJobs.ended(SampleJobs.begun(job, 0, "reg_a"), 0, "reg_a", true);
        JobDocument both = SampleJobs.joined(cancelled, succeeded);
        assertThat(both.verdict()).isEqualTo(cancelled.verdict());
        assertThat(both.step(0).status()).contains(StepRun.Status.FINISHED);
    }

    @Test
    void aFailureThatWasAnnouncedStaysThoughAnotherRunHasSucceeded() {
        JobDocument job = SampleJobs.job(SampleJobs.any());
        JobDocument failed = SampleJobs.ended(SampleJobs.begun(job, 0, "reg_b"), 0, "reg_b", false);
        JobDocument succeeded = SampleJobs.ended(SampleJobs.begun(job, 0, "reg_a"), 0, "reg_a", true);
        JobDocument both = SampleJobs.joined(failed, succeeded);
        assertThat(both.verdict()).isEqualTo(failed.verdict());
        assertThat(both.step(0).progress().runs()).containsOnlyKeys("reg_a");
    }

    @Test
    void versionsWithDifferentPlansAreNotJoined() {
        JobDocument mine = SampleJobs.job(SampleJobs.any(), SampleJobs.any());
        JobDocument theirs = SampleJobs.job(SampleJobs.any(), new Target.OneNode("reg_a"));
        assertThat(Merge.join(mine, theirs))
                .isEqualTo(new Merged.PlansDiffer("two versions of this document differ in job[1].target;"
                        + " a job cannot be changed: create a new document"));
        assertThat(Merge.join(mine, SampleJobs.job(SampleJobs.any()))).isInstanceOf(Merged.PlansDiffer.class);
    }

    @Test
    void aGroupThatHasGrownIsTheSameGroup() {
        NodeDirectory before = NodeDirectory.of(List.of("a", "b"), Map.of("g", List.of("a")));
        NodeDirectory after = NodeDirectory.of(List.of("a", "b"), Map.of("g", List.of("a", "b")));
        var document = SampleJobs.json("{'_id':'j','creator':'a','job':[{'target':'g','do':'ls'}]}");
        ParsedDocument.Job old = (ParsedDocument.Job) new DocumentReader(before).read(document);
        ParsedDocument.Job grown = (ParsedDocument.Job) new DocumentReader(after).read(document);
        assertThat(Merge.join(old.document(), grown.document())).isInstanceOf(Merged.Joined.class);
    }

    private static JobDocument won(JobDocument job, String node) {
        return SampleJobs.after(
                SampleJobs.after(job.step(0).claim(node)).step(0).assignWinner(node));
    }
}
