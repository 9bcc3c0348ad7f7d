package dev.couchjobs.bridge.internal.document;

import java.util.Optional;
import java.util.OptionalInt;

/** Checks that the progress in a document is possible. */
final class Consistency {
    private Consistency() {}

    /** @param said the end that the document says */
    static void check(JobDocument job, Optional<Verdict> said, OptionalInt index, Fields fields) {
        int current = job.currentStep();
        for (int i = current + 1; i < job.plan().steps().size(); i++) {
            StepProgress step = job.step(i).progress();
            if (step.hasBegun()) {
                fields.errors().add("job[" + i + "]", "has begun, and job[" + current + "] has not finished");
            } else if (step.claimedBy().isPresent() && !isClaimedAhead(job, i)) {
                fields.errors().add("job[" + i + "]", "is claimed, and job[" + (i - 1) + "] has not begun on one node");
            }
        }
        if (said.equals(Optional.of(Verdict.SUCCESS))
                && current < job.plan().steps().size()) {
            fields.fault(
                    "job_status",
                    "is \"success\", and job[" + current + "] has not finished; to end a job, say \"cancelled\"");
        }
        checkIndex(job, index, fields);
    }

    /** The node that runs a step may claim the next one. */
    private static boolean isClaimedAhead(JobDocument job, int index) {
        return job.step(index - 1).progress().hasBegun()
                && !(job.step(index - 1).plan().target() instanceof Target.All);
    }

    /** The thesis's own program advances the index when a step begins; the bridge does when a step has succeeded. */
    private static void checkIndex(JobDocument job, OptionalInt index, Fields fields) {
        int current = job.currentStep();
        int steps = job.plan().steps().size();
        boolean hasBegun = current < steps && job.step(current).progress().hasBegun();
        if (index.isPresent() && index.getAsInt() > steps) {
            fields.fault("step", "is " + index.getAsInt() + ", and the job has " + steps + " steps, counted from 0");
        } else if (index.isPresent() && index.getAsInt() > current + (hasBegun ? 1 : 0)) {
            fields.fault("step", "is " + index.getAsInt() + ", and job[" + current + "] has not finished");
        }
    }
}
