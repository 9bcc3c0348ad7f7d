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

/** Versions of a document become one by rule, whatever they say and wherever they meet. */
class MergeTest {

    @Provide
    Arbitrary<List<JobDocument>> versions() {
        return Jobs.versions(3);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void itDoesNotMatterWhichVersionComesFirst(@ForAll("versions") List<JobDocument> versions) {
        JobDocument a = versions.get(0);
        JobDocument b = versions.get(1);
        assertThat(Jobs.joined(a, b)).isEqualTo(Jobs.joined(b, a));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void itDoesNotMatterWhichVersionsMeetFirst(@ForAll("versions") List<JobDocument> versions) {
        JobDocument a = versions.get(0);
        JobDocument b = versions.get(1);
        JobDocument c = versions.get(2);
        assertThat(Jobs.joined(Jobs.joined(a, b), c)).isEqualTo(Jobs.joined(a, Jobs.joined(b, c)));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void itDoesNotMatterHowOftenAVersionComes(@ForAll("versions") List<JobDocument> versions) {
        JobDocument a = versions.get(0);
        JobDocument both = Jobs.joined(a, versions.get(1));
        assertThat(Jobs.joined(a, a)).isEqualTo(a);
        assertThat(Jobs.joined(both, a)).isEqualTo(both);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void nothingThatHasBegunOrSucceededIsForgotten(@ForAll("versions") List<JobDocument> versions) {
        JobDocument a = versions.get(0);
        JobDocument both = Jobs.joined(a, versions.get(1));
        for (int i = 0; i < a.plan().steps().size(); i++) {
            StepProgress before = a.step(i).progress();
            StepProgress after = both.step(i).progress();
            assertThat(!before.hasBegun() || after.hasBegun()).isTrue();
            if (a.step(i).status().equals(Optional.of(Run.Status.FINISHED))) {
                assertThat(both.step(i).status()).contains(Run.Status.FINISHED);
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
        return Jobs.histories(2);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void whatTwoThatCouldHaveComeAboutMakeCouldHaveComeAbout(@ForAll("histories") List<JobDocument> histories) {
        JobDocument both = Jobs.joined(histories.get(0), histories.get(1));
        assertThat(new DocumentReader(Jobs.CLUSTER).read(DocumentWriter.write(both)))
                .isInstanceOf(Reading.Job.class);
    }

    @Example
    void ofTwoWhoRunAStepAndHaveClaimedTheNextTheOneWhoWasNamedHasIt() {
        JobDocument job = Jobs.job(Jobs.any(), Jobs.any());
        JobDocument onA = Jobs.after(Jobs.begun(job, 0, "reg_a").step(1).claim("reg_a"));
        JobDocument onB = Jobs.after(Jobs.begun(job, 0, "reg_b").step(1).claim("reg_b"));
        JobDocument named = Jobs.after(onB.step(1).win("reg_b"));
        JobDocument both = Jobs.joined(onA, named);
        assertThat(both.step(0).progress().runs()).containsOnlyKeys("reg_a");
        assertThat(both.step(1).progress().winner()).contains("reg_b");
    }

    @Example
    void aStepThatHasBegunBeatsALaterRoundInWhichItHasNot() {
        JobDocument begun = Jobs.begun(Jobs.job(Jobs.any()), 0, "reg_b");
        JobDocument claimed = Jobs.after(Jobs.job(Jobs.any()).step(0).claim("reg_b"));
        JobDocument withdrawn = Jobs.after(claimed.step(0).withdraw());
        JobDocument claimedAnew = Jobs.after(withdrawn.step(0).claim("reg_a"));
        assertThat(Jobs.joined(begun, claimedAnew)).isEqualTo(begun);
    }

    @Example
    void aLaterRoundBeatsAnEarlierOneInWhichSomebodyHadWon() {
        JobDocument won = won(Jobs.job(Jobs.any()), "reg_a");
        JobDocument withdrawn = Jobs.after(won.step(0).withdraw());
        assertThat(Jobs.joined(won, withdrawn)).isEqualTo(withdrawn);
    }

    @Example
    void aWinnerBeatsAClaimAndAClaimBeatsNone() {
        JobDocument open = Jobs.job(Jobs.any());
        JobDocument claimed = Jobs.after(open.step(0).claim("reg_a"));
        JobDocument won = won(open, "reg_b");
        assertThat(Jobs.joined(open, claimed)).isEqualTo(claimed);
        assertThat(Jobs.joined(claimed, won)).isEqualTo(won);
    }

    @Example
    void ofTwoClaimsThatOfTheFirstNodeByItsNamePrevails() {
        JobDocument a = Jobs.after(Jobs.job(Jobs.any()).step(0).claim("reg_a"));
        JobDocument b = Jobs.after(Jobs.job(Jobs.any()).step(0).claim("reg_b"));
        assertThat(Jobs.joined(b, a)).isEqualTo(a);
    }

    @Example
    void whereTwoNodesHaveBegunTheOneThatHasComeFurtherPrevails() {
        JobDocument running = Jobs.begun(Jobs.job(Jobs.any()), 0, "reg_a");
        JobDocument other = Jobs.begun(Jobs.job(Jobs.any()), 0, "reg_b");
        JobDocument finished = Jobs.ended(other, 0, "reg_b", true);
        assertThat(Jobs.joined(running, other)).isEqualTo(running);
        assertThat(Jobs.joined(running, finished)).isEqualTo(finished);
    }

    @Example
    void whereTwoNodesHaveBegunTheEarlierRoundPrevails() {
        JobDocument claimed = Jobs.after(Jobs.job(Jobs.any()).step(0).claim("reg_b"));
        JobDocument second = Jobs.begun(Jobs.after(claimed.step(0).withdraw()), 0, "reg_a");
        JobDocument first = Jobs.begun(Jobs.job(Jobs.any()), 0, "reg_b");
        assertThat(Jobs.joined(first, second)).isEqualTo(first);
    }

    @Example
    void aRunThatWasTakenOverBeatsTheOneThatWasLost() {
        JobDocument lost = Jobs.begun(Jobs.job(Jobs.any()), 0, "reg_a");
        JobDocument takenOver = Jobs.begun(lost, 0, "reg_b");
        assertThat(Jobs.joined(lost, takenOver)).isEqualTo(takenOver);
    }

    @Example
    void aStepOnAllNodesIsJoinedNodeByNode() {
        JobDocument open = Jobs.job(Jobs.all("reg_a", "reg_b"));
        JobDocument onA = Jobs.ended(Jobs.begun(open, 0, "reg_a"), 0, "reg_a", true);
        JobDocument onB = Jobs.ended(Jobs.begun(open, 0, "reg_b"), 0, "reg_b", true);
        JobDocument both = Jobs.joined(onA, onB);
        assertThat(onA.isEnded()).isFalse();
        assertThat(both.verdict()).contains(Verdict.SUCCESS);
    }

    @Example
    void allNodesAreThoseThatWereThereWhenTheStepBegan() {
        JobDocument begun = Jobs.begun(Jobs.job(Jobs.all("reg_a", "reg_b")), 0, "reg_a");
        JobDocument later = Jobs.job(Jobs.all("reg_a", "reg_b", "reg_c"));
        assertThat(Jobs.joined(later, begun)).isEqualTo(begun);
        assertThat(Jobs.joined(begun, later)).isEqualTo(begun);
        assertThat(Merge.join(begun, Jobs.begun(later, 0, "reg_c"))).isInstanceOf(Merged.PlansDiffer.class);
    }

    @Example
    void aCancelledJobStaysSoWhateverItsStepsCameTo() {
        JobDocument job = Jobs.job(Jobs.any());
        JobDocument cancelled = job.cancel("by hand");
        JobDocument succeeded = Jobs.ended(Jobs.begun(job, 0, "reg_a"), 0, "reg_a", true);
        JobDocument both = Jobs.joined(cancelled, succeeded);
        assertThat(both.verdict()).isEqualTo(cancelled.verdict());
        assertThat(both.step(0).status()).contains(Run.Status.FINISHED);
    }

    @Example
    void aFailureThatWasAnnouncedStaysThoughAnotherRunHasSucceeded() {
        JobDocument job = Jobs.job(Jobs.any());
        JobDocument failed = Jobs.ended(Jobs.begun(job, 0, "reg_b"), 0, "reg_b", false);
        JobDocument succeeded = Jobs.ended(Jobs.begun(job, 0, "reg_a"), 0, "reg_a", true);
        JobDocument both = Jobs.joined(failed, succeeded);
        assertThat(both.verdict()).isEqualTo(failed.verdict());
        assertThat(both.step(0).progress().runs()).containsOnlyKeys("reg_a");
    }

    @Example
    void versionsWithDifferentPlansAreNotJoined() {
        JobDocument mine = Jobs.job(Jobs.any(), Jobs.any());
        JobDocument theirs = Jobs.job(Jobs.any(), new Target.OneNode("reg_a"));
        assertThat(Merge.join(mine, theirs))
                .isEqualTo(new Merged.PlansDiffer("two versions of this document differ in job[1].target;"
                        + " a job is not changed once it is there: make a new document"));
        assertThat(Merge.join(mine, Jobs.job(Jobs.any()))).isInstanceOf(Merged.PlansDiffer.class);
    }

    @Example
    void aGroupThatHasGrownIsTheSameGroup() {
        Cluster before = Cluster.of(List.of("a", "b"), Map.of("g", List.of("a")));
        Cluster after = Cluster.of(List.of("a", "b"), Map.of("g", List.of("a", "b")));
        var document = Jobs.json("{'_id':'j','creator':'a','job':[{'target':'g','do':'ls'}]}");
        Reading.Job old = (Reading.Job) new DocumentReader(before).read(document);
        Reading.Job grown = (Reading.Job) new DocumentReader(after).read(document);
        assertThat(Merge.join(old.document(), grown.document())).isInstanceOf(Merged.Joined.class);
    }

    private static JobDocument won(JobDocument job, String node) {
        return Jobs.after(Jobs.after(job.step(0).claim(node)).step(0).win(node));
    }
}
