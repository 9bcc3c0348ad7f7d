package dev.couchjobs.bridge.internal.document;

import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A job document: what is to be done, which never changes, and how far it is. Immutable, and without what CouchDB adds:
 * two revisions with the same content are the same. The verdict is always at least what follows from the steps.
 *
 * @param id the document's id
 * @param plan what is to be done
 * @param progress how far it is
 */
public record JobDocument(String id, JobPlan plan, Progress progress) {
    /**
     * Adds the verdict that follows from the steps.
     *
     * @throws IllegalArgumentException if the progress is of another plan, or no step has a progress that it could
     */
    public JobDocument {
        if (plan.steps().isEmpty() || plan.steps().size() != progress.steps().size()) {
            throw new IllegalArgumentException("a plan has steps, and each has its progress");
        }
        for (int step = 0; step < plan.steps().size(); step++) {
            check(plan.steps().get(step).target(), progress.steps().get(step));
        }
        progress = progress.judged(plan);
    }

    /** {@return the index of the first step that has not succeeded; the number of steps if all have} */
    public int currentStep() {
        return progress.currentStep(plan);
    }

    /** {@return whether the job has ended, however} */
    public boolean isEnded() {
        return progress.verdict().isPresent();
    }

    /** {@return whether no step has begun, and no node was named to run one} */
    public boolean isUntouched() {
        return progress.steps().stream()
                .noneMatch(step -> step.hasBegun() || step.winner().isPresent());
    }

    /** {@return whether the job has failed though none of its steps has: it was refused, or given up by a person} */
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

    /** {@return whether some step has begun on a node} */
    public boolean hasBegunOn(String node) {
        return progress.steps().stream().anyMatch(step -> step.run(node).isPresent());
    }

    /** {@return how the job has ended, if it has} */
    public Optional<Verdict> verdict() {
        return progress.verdict();
    }

    /** {@return a step, to look at and to take further} */
    public Step step(int index) {
        return new Step(this, index);
    }

    /** {@return the step that is to be done or is being done; empty if the job has ended} */
    public Optional<Step> current() {
        return isEnded() ? Optional.empty() : Optional.of(step(currentStep()));
    }

    /** {@return the same job with another progress of one step, whatever it may be} */
    public JobDocument withStep(int index, StepProgress step) {
        return new JobDocument(id, plan, progress.with(index, step));
    }

    /**
     * {@return the same job, ended by a person}
     *
     * @param reason for people
     */
    public JobDocument cancel(String reason) {
        return new JobDocument(id, plan, progress.with(Verdict.cancelled(reason)));
    }

    /**
     * {@return the same job, given up}
     *
     * @param reason why, for a person to act on
     */
    public JobDocument fail(String reason) {
        return new JobDocument(id, plan, progress.with(Verdict.failed(reason)));
    }

    private static void check(Target target, StepProgress step) {
        if (target instanceof Target.All) {
            if (step.withdrawn() > 0 || step.claimedBy().isPresent()) {
                throw new IllegalArgumentException("a step that all nodes do is not claimed");
            }
        } else if (step.hasBegun() && step.winner().isEmpty()) {
            throw new IllegalArgumentException("who runs a step has won it");
        }
    }
}
