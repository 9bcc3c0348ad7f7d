package dev.couchjobs.bridge.internal.document;

import java.util.List;

/**
 * What a job document asks for; fixed from when it is first seen.
 *
 * @param creator the node on which it was made: the one that names winners, and writes down the state where one does
 * @param priority jobs with a higher one go first; 0 if the document does not say
 * @param steps what is to be done, in this order; at least one
 */
public record Plan(String creator, int priority, List<StepPlan> steps) {
    /** Keeps a copy of the list. */
    public Plan {
        steps = List.copyOf(steps);
    }
}
