package dev.couchjobs.bridge.internal.document;

import java.util.List;
import java.util.Optional;

/**
 * What a job document asks for; fixed from when it is first seen.
 *
 * @param creator the node on which it was made: the one that names winners, and writes down the state where one does
 * @param priority jobs with a higher one go first; 0 if the document does not say
 * @param steps what is to be done, in this order; at least one
 */
public record JobPlan(String creator, int priority, List<StepPlan> steps) {
    /** Keeps a copy of the list. */
    public JobPlan {
        steps = List.copyOf(steps);
    }

    /** {@return how many runs it takes: one for each step, and for a step on all nodes one on each} */
    int runs() {
        return steps.stream()
                .mapToInt(step ->
                        step.target() instanceof Target.All all ? all.nodes().size() : 1)
                .sum();
    }

    /**
     * {@return where two plans differ first, for people; empty if they ask for the same} What groups stand for does not
     * count: that is said by the configuration and not by the document.
     */
    Optional<String> differenceFrom(JobPlan other) {
        if (!creator.equals(other.creator)) {
            return Optional.of("creator");
        }
        if (priority != other.priority) {
            return Optional.of("priority");
        }
        if (steps.size() != other.steps.size()) {
            return Optional.of("the number of steps");
        }
        for (int i = 0; i < steps.size(); i++) {
            Optional<String> field = steps.get(i).differenceFrom(other.steps.get(i));
            if (field.isPresent()) {
                return Optional.of("job[" + i + "]." + field.get());
            }
        }
        return Optional.empty();
    }
}
