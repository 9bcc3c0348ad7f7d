package dev.couchjobs.bridge.internal.document;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A job document: its plan, which never changes, and its progress. Immutable. It contains no fields of CouchDB, so two
 * revisions with the same content are equal. The verdict is at least the one that follows from the steps. A job that
 * has ended has no claims on steps that have not begun.
 *
 * @param id the document's id
 * @param plan the plan
 * @param progress the progress
 */
public record JobDocument(String id, JobPlan plan, Progress progress) {
    /**
     * Adds the verdict that follows from the steps.
     *
     * @throws IllegalArgumentException if the progress belongs to another plan, or is impossible
     */
    public JobDocument {
        if (plan.steps().isEmpty() || plan.steps().size() != progress.steps().size()) {
            throw new IllegalArgumentException("a plan has steps, and each has its progress");
        }
        for (int step = 0; step < plan.steps().size(); step++) {
            check(plan.steps().get(step).target(), progress.steps().get(step));
        }
        progress = progress.judged(plan).settled();
    }

    /** {@return the index of the first step that has not succeeded; the number of steps if all have} */
    public int currentStep() {
        return progress.currentStep(plan);
    }

    /** {@return whether the job has ended} */
    public boolean isEnded() {
        return progress.verdict().isPresent();
    }

    /** {@return whether no step has begun and no winner was named} */
    public boolean isUntouched() {
        return progress.steps().stream()
                .noneMatch(step -> step.hasBegun() || step.winner().isPresent());
    }

    /** {@return whether the job has failed without a failed step: it was refused, or a person has given it up} */
    public boolean isGivenUp() {
        return verdict()
                        .filter(verdict -> verdict.status() == Verdict.Status.FAILED)
                        .isPresent()
                && IntStream.range(0, plan.steps().size())
                        .mapToObj(step -> progress.steps()
                                .get(step)
                                .status(plan.steps().get(step).target()))
                        .noneMatch(Optional.of(StepRun.Status.FAILED)::equals);
    }

    /** {@return whether a step has begun on a node} */
    public boolean hasBegunOn(String node) {
        return progress.steps().stream().anyMatch(step -> step.run(node).isPresent());
    }

    /** {@return the outcome of the job, if it has ended} */
    public Optional<Verdict> verdict() {
        return progress.verdict();
    }

    /** {@return a step} */
    public Step step(int index) {
        return new Step(this, index);
    }

    /** {@return the step that runs or is next; empty if the job has ended} */
    public Optional<Step> current() {
        return isEnded() ? Optional.empty() : Optional.of(step(currentStep()));
    }

    /** {@return the same job with another progress of one step, without a check} */
    public JobDocument withStep(int index, StepProgress step) {
        return new JobDocument(id, plan, progress.with(index, step));
    }

    /** {@return the same job with another run of a step on a node on which it has begun} */
    public JobDocument withRun(int index, String node, StepRun run) {
        StepProgress progress = step(index).progress();
        return run.equals(progress.runs().get(node)) ? this : withStep(index, progress.with(node, run));
    }

    /** {@return the same job without the run of a step on a node} */
    public JobDocument withoutRun(int index, String node) {
        StepProgress progress = step(index).progress();
        SortedMap<String, StepRun> others = new TreeMap<>(progress.runs());
        others.remove(node);
        return withStep(
                index,
                others.isEmpty()
                        ? StepProgress.open()
                        : new StepProgress(progress.withdrawn(), progress.claimedBy(), progress.winner(), others));
    }

    /** {@return the same job with the prevailing one of these verdicts and of that which follows from the steps} */
    public JobDocument judged(Stream<Verdict> said) {
        return new JobDocument(id, plan, new Progress(progress.steps(), said.max(Verdict.ORDER)));
    }

    /** {@return the same job with another priority} */
    public JobDocument withPriority(int priority) {
        return new JobDocument(id, new JobPlan(plan.creator(), priority, plan.steps()), progress);
    }

    /**
     * {@return the same job, cancelled}
     *
     * @param reason the reason, for people
     */
    public JobDocument cancel(String reason) {
        return new JobDocument(id, plan, progress.with(Verdict.cancelled(reason)));
    }

    /**
     * {@return the same job, failed}
     *
     * @param reason the reason, with what a person can do
     */
    public JobDocument fail(String reason) {
        return new JobDocument(id, plan, progress.with(Verdict.failed(reason)));
    }

    private static void check(Target target, StepProgress step) {
        if (target instanceof Target.All) {
            if (step.withdrawn() > 0 || step.claimedBy().isPresent()) {
                throw new IllegalArgumentException("a step on all nodes is not claimed");
            }
        } else if (step.hasBegun() && step.winner().isEmpty()) {
            throw new IllegalArgumentException("the node that runs a step must be its winner");
        }
    }
}
