package dev.couchjobs.bridge.internal.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The join of versions of a document, for all contents and orders. */
class MergeTest {

    @Provide
    Arbitrary<List<JobDocument>> versions() {
        return SampleJobs.versions(3);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void itDoesNotMatterWhichVersionComesFirst(@ForAll("versions") List<JobDocument> versions) {
        JobDocument a = versions.get(0);
        JobDocument b = versions.get(1);
        assertThat(SampleJobs.joined(a, b)).isEqualTo(SampleJobs.joined(b, a));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void itDoesNotMatterWhichVersionsMeetFirst(@ForAll("versions") List<JobDocument> versions) {
        JobDocument a = versions.get(0);
        JobDocument b = versions.get(1);
        JobDocument c = versions.get(2);
        assertThat(SampleJobs.joined(SampleJobs.joined(a, b), c))
                .isEqualTo(SampleJobs.joined(a, SampleJobs.joined(b, c)));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void itDoesNotMatterHowOftenAVersionComes(@ForAll("versions") List<JobDocument> versions) {
        JobDocument a = versions.get(0);
        JobDocument both = SampleJobs.joined(a, versions.get(1));
        assertThat(SampleJobs.joined(a, a)).isEqualTo(a);
        assertThat(SampleJobs.joined(both, a)).isEqualTo(both);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void nothingThatHasBegunOrSucceededIsForgotten(@ForAll("versions") List<JobDocument> versions) {
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
    }

    @Provide
    Arbitrary<List<JobDocument>> histories() {
        return SampleJobs.histories(2);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void whatTwoThatCouldHaveComeAboutMakeCouldHaveComeAbout(@ForAll("histories") List<JobDocument> histories) {
        JobDocument both = SampleJobs.joined(histories.get(0), histories.get(1));
        assertThat(new DocumentReader(SampleJobs.CLUSTER).read(DocumentWriter.write(both)))
                .isInstanceOf(ParsedDocument.Job.class);
    }

    @Example
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

    @Example
    void aStepThatHasBegunBeatsALaterRoundInWhichItHasNot() {
        JobDocument begun = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_b");
        JobDocument claimed =
                SampleJobs.after(SampleJobs.job(SampleJobs.any()).step(0).claim("reg_b"));
        JobDocument withdrawn = SampleJobs.after(claimed.step(0).withdraw());
        JobDocument claimedAnew = SampleJobs.after(withdrawn.step(0).claim("reg_a"));
        assertThat(SampleJobs.joined(begun, claimedAnew)).isEqualTo(begun);
    }

    @Example
    void aLaterRoundBeatsAnEarlierOneInWhichSomebodyHadWon() {
        JobDocument won = won(SampleJobs.job(SampleJobs.any()), "reg_a");
        JobDocument withdrawn = SampleJobs.after(won.step(0).withdraw());
        assertThat(SampleJobs.joined(won, withdrawn)).isEqualTo(withdrawn);
    }

    @Example
    void aWinnerBeatsAClaimAndAClaimBeatsNone() {
        JobDocument open = SampleJobs.job(SampleJobs.any());
        JobDocument claimed = SampleJobs.after(open.step(0).claim("reg_a"));
        JobDocument won = won(open, "reg_b");
        assertThat(SampleJobs.joined(open, claimed)).isEqualTo(claimed);
        assertThat(SampleJobs.joined(claimed, won)).isEqualTo(won);
    }

    @Example
    void ofTwoClaimsThatOfTheFirstNodeByItsNamePrevails() {
        JobDocument a =
                SampleJobs.after(SampleJobs.job(SampleJobs.any()).step(0).claim("reg_a"));
        JobDocument b =
                SampleJobs.after(SampleJobs.job(SampleJobs.any()).step(0).claim("reg_b"));
        assertThat(SampleJobs.joined(b, a)).isEqualTo(a);
    }

    @Example
    void whereTwoNodesHaveBegunTheOneThatHasComeFurtherPrevails() {
        JobDocument running = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_a");
        JobDocument other = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_b");
        JobDocument finished = SampleJobs.ended(other, 0, "reg_b", true);
        assertThat(SampleJobs.joined(running, other)).isEqualTo(running);
        assertThat(SampleJobs.joined(running, finished)).isEqualTo(finished);
    }

    @Example
    void whereTwoNodesHaveBegunTheEarlierRoundPrevails() {
        JobDocument claimed =
                SampleJobs.after(SampleJobs.job(SampleJobs.any()).step(0).claim("reg_b"));
        JobDocument second = SampleJobs.begun(SampleJobs.after(claimed.step(0).withdraw()), 0, "reg_a");
        JobDocument first = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_b");
        assertThat(SampleJobs.joined(first, second)).isEqualTo(first);
    }

    @Example
    void aRunThatWasTakenOverBeatsTheOneThatWasLost() {
        JobDocument lost = SampleJobs.begun(SampleJobs.job(SampleJobs.any()), 0, "reg_a");
        JobDocument takenOver = SampleJobs.begun(lost, 0, "reg_b");
        assertThat(SampleJobs.joined(lost, takenOver)).isEqualTo(takenOver);
    }

    @Example
    void aStepOnAllNodesIsJoinedNodeByNode() {
        JobDocument open = SampleJobs.job(SampleJobs.all("reg_a", "reg_b"));
        JobDocument onA = SampleJobs.ended(SampleJobs.begun(open, 0, "reg_a"), 0, "reg_a", true);
        JobDocument onB = SampleJobs.ended(SampleJobs.begun(open, 0, "reg_b"), 0, "reg_b", true);
        JobDocument both = SampleJobs.joined(onA, onB);
        assertThat(onA.isEnded()).isFalse();
        assertThat(both.verdict()).contains(Verdict.SUCCESS);
    }

    @Example
    void allNodesAreThoseThatWereThereWhenTheStepBegan() {
        JobDocument begun = SampleJobs.begun(SampleJobs.job(SampleJobs.all("reg_a", "reg_b")), 0, "reg_a");
        JobDocument later = SampleJobs.job(SampleJobs.all("reg_a", "reg_b", "reg_c"));
        assertThat(SampleJobs.joined(later, begun)).isEqualTo(begun);
        assertThat(SampleJobs.joined(begun, later)).isEqualTo(begun);
        assertThat(Merge.join(begun, SampleJobs.begun(later, 0, "reg_c"))).isInstanceOf(Merged.PlansDiffer.class);
    }

    @Example
    void aCancelledJobStaysSoWhateverItsStepsCameTo() {
        JobDocument job = SampleJobs.job(SampleJobs.any());
        JobDocument cancelled = job.cancel("by hand");
        JobDocument succeeded = SampleJobs.ended(SampleJobs.begun(job, 0, "reg_a"), 0, "reg_a", true);
        JobDocument both = SampleJobs.joined(cancelled, succeeded);
        assertThat(both.verdict()).isEqualTo(cancelled.verdict());
        assertThat(both.step(0).status()).contains(StepRun.Status.FINISHED);
    }

    @Example
    void aFailureThatWasAnnouncedStaysThoughAnotherRunHasSucceeded() {
        JobDocument job = SampleJobs.job(SampleJobs.any());
        JobDocument failed = SampleJobs.ended(SampleJobs.begun(job, 0, "reg_b"), 0, "reg_b", false);
        JobDocument succeeded = SampleJobs.ended(SampleJobs.begun(job, 0, "reg_a"), 0, "reg_a", true);
        JobDocument both = SampleJobs.joined(failed, succeeded);
        assertThat(both.verdict()).isEqualTo(failed.verdict());
        assertThat(both.step(0).progress().runs()).containsOnlyKeys("reg_a");
    }

    @Example
    void versionsWithDifferentPlansAreNotJoined() {
        JobDocument mine = SampleJobs.job(SampleJobs.any(), SampleJobs.any());
        JobDocument theirs = SampleJobs.job(SampleJobs.any(), new Target.OneNode("reg_a"));
        assertThat(Merge.join(mine, theirs))
                .isEqualTo(new Merged.PlansDiffer("two versions of this document differ in job[1].target;"
                        + " a job cannot be changed: create a new document"));
        assertThat(Merge.join(mine, SampleJobs.job(SampleJobs.any()))).isInstanceOf(Merged.PlansDiffer.class);
    }

    @Example
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
