package dev.couchjobs.bridge.internal.document;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Joins versions of a job document. Progress is a join semilattice: the result does not depend on which versions meet,
 * in which order and how often, and contains every beginning and end. Of a step with one run the join is the greater of
 * two in {@link #STEPS}, a total order; a step on all nodes is joined node by node. Of two priorities the higher one
 * prevails.
 */
public final class Merge {
    private static final Comparator<StepRunEnd> ENDS = Comparator.comparing(
                    StepRunEnd::exitStatus, OptionalComparators.INT)
            .thenComparing(StepRunEnd::alternativeExitStatus, OptionalComparators.INT)
            .thenComparing(StepRunEnd::isOutputCut)
            .thenComparing(StepRunEnd::output, OptionalComparators.optional(Comparator.<String>naturalOrder()))
            .thenComparing(StepRunEnd::reason, OptionalComparators.optional(Comparator.<String>naturalOrder()));

    /** Orders the runs of one node in one round, and those of all nodes. */
    private static final Comparator<StepRun> RUNS = Comparator.comparing(StepRun::status)
            .thenComparing(StepRun::begun)
            .thenComparing(StepRun::tries)
            .thenComparing(StepRun::start, OptionalComparators.optional(Comparator.naturalOrder()))
            .thenComparing(StepRun::finish, OptionalComparators.optional(Comparator.naturalOrder()))
            .thenComparing(StepRun::executioner)
            .thenComparing(StepRun::end, OptionalComparators.optional(ENDS));

    /**
     * Orders steps that have begun: by status, then the earlier round, the number of beginnings, and the node's name.
     */
    private static final Comparator<StepProgress> BEGUN = Comparator.comparing(
                    (StepProgress step) -> onlyRun(step).status())
            .thenComparing(StepProgress::withdrawn, Comparator.reverseOrder())
            .thenComparing(step -> onlyRun(step).begun())
            .thenComparing(step -> step.runs().firstKey(), Comparator.reverseOrder())
            .thenComparing(Merge::onlyRun, RUNS);

    /** Orders steps that have not begun: by the later round, then winner, claim, and the node's name. */
    private static final Comparator<StepProgress> NOT_BEGUN = Comparator.comparing(StepProgress::withdrawn)
            .thenComparing(StepProgress::winner, OptionalComparators.optional(Comparator.<String>reverseOrder()))
            .thenComparing(StepProgress::claimedBy, OptionalComparators.optional(Comparator.<String>reverseOrder()));

    private static final Comparator<StepProgress> STEPS = Comparator.comparing(StepProgress::hasBegun)
            .thenComparing((one, other) -> (one.hasBegun() ? BEGUN : NOT_BEGUN).compare(one, other));

    private Merge() {}

    /**
     * {@return the join of two versions of a document}
     *
     * @param mine one version; its members of groups are used if configurations differ
     * @param theirs the other
     */
    public static Merged join(JobDocument mine, JobDocument theirs) {
        if (!mine.id().equals(theirs.id())) {
            throw new IllegalArgumentException("these are two jobs: " + mine.id() + " and " + theirs.id());
        }
        Optional<String> difference = mine.plan().differenceFrom(theirs.plan());
        if (difference.isPresent()) {
            return new Merged.PlansDiffer("two versions of this document differ in " + difference.get()
                    + "; a job cannot be changed: create a new document");
        }
        List<StepPlan> plans = new ArrayList<>();
        List<StepProgress> steps = new ArrayList<>();
        for (int i = 0; i < mine.plan().steps().size(); i++) {
            Step one = mine.step(i);
            Step other = theirs.step(i);
            Optional<Target> target = target(one, other);
            if (target.isEmpty()) {
                return new Merged.PlansDiffer(
                        "job[" + i + "].target: the configurations of nodes differ in what all nodes are; use the"
                                + " same configuration on all nodes and create a new document");
            }
            plans.add(one.plan().on(target.get()));
            steps.add(join(one.plan().target(), one.progress(), other.progress()));
        }
        JobPlan plan = new JobPlan(
                mine.plan().creator(),
                Math.max(mine.plan().priority(), theirs.plan().priority()),
                plans);
        Optional<Verdict> verdict = Verdict.join(mine.verdict(), theirs.verdict());
        return new Merged.Joined(new JobDocument(mine.id(), plan, new Progress(steps, verdict)));
    }

    /**
     * {@return the nodes of a step on all nodes, as the version that has begun has them; empty if both have begun and
     * differ}
     */
    private static Optional<Target> target(Step mine, Step theirs) {
        if (!(mine.plan().target() instanceof Target.All own)
                || !(theirs.plan().target() instanceof Target.All other)
                || own.equals(other)) {
            return Optional.of(mine.plan().target());
        }
        if (mine.progress().hasBegun() && theirs.progress().hasBegun()) {
            return Optional.empty();
        }
        if (mine.progress().hasBegun() == theirs.progress().hasBegun()) {
            return Optional.of(first(own.nodes(), other.nodes()) ? own : other);
        }
        return Optional.of(mine.progress().hasBegun() ? own : other);
    }

    /** An arbitrary choice that is the same on all nodes. */
    private static boolean first(SortedSet<String> own, SortedSet<String> other) {
        return own.toString().compareTo(other.toString()) <= 0;
    }

    private static StepProgress join(Target target, StepProgress one, StepProgress other) {
        if (!(target instanceof Target.All)) {
            return STEPS.compare(one, other) >= 0 ? one : other;
        }
        SortedMap<String, StepRun> runs = new TreeMap<>(one.runs());
        for (Map.Entry<String, StepRun> run : other.runs().entrySet()) {
            runs.merge(run.getKey(), run.getValue(), (a, b) -> RUNS.compare(a, b) >= 0 ? a : b);
        }
        return new StepProgress(0, Optional.empty(), Optional.empty(), runs);
    }

    private static StepRun onlyRun(StepProgress step) {
        return step.runs().values().iterator().next();
    }
}
