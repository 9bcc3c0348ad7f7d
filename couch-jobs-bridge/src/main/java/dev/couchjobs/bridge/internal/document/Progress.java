package dev.couchjobs.bridge.internal.document;

import java.util.List;
import java.util.Optional;

/**
 * How far a job is.
 *
 * @param steps how far each step is, as many as the plan has
 * @param verdict how the job has ended, if it has
 */
public record Progress(List<StepProgress> steps, Optional<Verdict> verdict) {
    /** Keeps a copy of the list. */
    public Progress {
        steps = List.copyOf(steps);
    }
}
