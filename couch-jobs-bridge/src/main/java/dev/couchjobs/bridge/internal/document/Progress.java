package dev.couchjobs.bridge.internal.document;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The progress of a job.
 *
 * @param steps the progress of each step of the plan
 * @param verdict the outcome of the job, if it has ended
 */
public record Progress(List<StepProgress> steps, Optional<Verdict> verdict) {
    public Progress {
        steps = List.copyOf(steps);
    }

    /** {@return the progress of a plan of which no step has begun} */
    public static Progress none(JobPlan plan) {
        return new Progress(
                Stream.generate(StepProgress::open).limit(plan.steps().size()).toList(), Optional.empty());
    }

    /** {@return the index of the first step that has not succeeded; the number of steps if all have} */
    int currentStep(JobPlan plan) {
        int step = 0;
        while (step < steps.size()
                && status(plan, step).filter(StepRun.Status.FINISHED::equals).isPresent()) {
            step++;
        }
        return step;
    }

    /** {@return this with the verdict that follows from the steps, unless it has one that prevails} */
    Progress judged(JobPlan plan) {
        Optional<Verdict> borneOut = Optional.empty();
        for (int step = 0; step < steps.size(); step++) {
            borneOut = Verdict.join(borneOut, failure(step));
        }
        if (borneOut.isEmpty() && currentStep(plan) == steps.size()) {
            borneOut = Optional.of(Verdict.SUCCESS);
        }
        return new Progress(steps, Verdict.join(verdict, borneOut));
    }

    /** {@return this; without claims on steps that have not begun if the job has ended, because nobody answers them} */
    Progress settled() {
        return verdict.isPresent()
                ? new Progress(steps.stream().map(StepProgress::settled).toList(), verdict)
                : this;
    }

    Progress with(int step, StepProgress progress) {
        List<StepProgress> changed = new ArrayList<>(steps);
        changed.set(step, progress);
        return new Progress(changed, verdict);
    }

    Progress with(Verdict other) {
        return new Progress(steps, Verdict.join(verdict, Optional.of(other)));
    }

    private Optional<StepRun.Status> status(JobPlan plan, int step) {
        return steps.get(step).status(plan.steps().get(step).target());
    }

    private Optional<Verdict> failure(int step) {
        Optional<Verdict> failure = Optional.empty();
        for (var run : steps.get(step).runs().entrySet()) {
            if (run.getValue().hasFailed()) {
                StepRunEnd end = run.getValue().end().orElseGet(StepRunEnd::silent);
                String why = end.reason().map(reason -> ": " + reason).orElseGet(() -> exitStatus(end));
                failure = Verdict.join(
                        failure, Optional.of(Verdict.failed("job[" + step + "] has failed on " + run.getKey() + why)));
            }
        }
        return failure;
    }

    private static String exitStatus(StepRunEnd end) {
        return end.exitStatus().isPresent()
                ? ", with exit status " + end.exitStatus().getAsInt()
                : "";
    }
}
