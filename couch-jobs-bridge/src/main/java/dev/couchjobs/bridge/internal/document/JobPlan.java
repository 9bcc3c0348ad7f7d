package dev.couchjobs.bridge.internal.document;

import java.util.List;
import java.util.Optional;

/**
 * The plan of a job document. It is fixed when a bridge first reads the document, except for the priority, which a
 * person may change.
 *
 * @param creator the creator node: it names winners, and is the home of the document
 * @param priority the priority; 0 if the document has none
 * @param steps the steps in their order; at least one
 */
public record JobPlan(String creator, int priority, List<StepPlan> steps) {
    public JobPlan {
        steps = List.copyOf(steps);
    }

    /** {@return the number of runs: one for each step, and one for each node of a step on all nodes} */
    int runs() {
        return steps.stream()
                .mapToInt(step ->
                        step.target() instanceof Target.All all ? all.nodes().size() : 1)
                .sum();
    }

    /**
     * {@return the first difference between two plans, for people; empty if they are equal} The priority does not
     * count, because a person may change it. The members of groups do not, because the configuration determines them.
     */
    Optional<String> differenceFrom(JobPlan other) {
        if (!creator.equals(other.creator)) {
            return Optional.of("creator");
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
