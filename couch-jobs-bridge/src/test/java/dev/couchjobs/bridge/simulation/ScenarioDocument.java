package dev.couchjobs.bridge.simulation;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/**
 * A document of the simulation.
 *
 * @param id its id
 * @param body the content at its creation
 * @param steps its steps; none if it is invalid
 * @param creator its creator node, if it is valid
 * @param place the node in whose CouchDB it is created
 * @param time the time of its creation
 * @param personEdits the changes by people
 */
record ScenarioDocument(
        String id,
        ObjectNode body,
        List<ScenarioStep> steps,
        String creator,
        String place,
        Duration time,
        Set<PersonEdit> personEdits) {

    ScenarioDocument(
            String id, ObjectNode body, List<ScenarioStep> steps, String creator, String place, Duration time) {
        this(id, body, steps, creator, place, time, EnumSet.noneOf(PersonEdit.class));
    }

    boolean isBroken() {
        return steps.isEmpty();
    }

    /** {@return whether its end depends only on its plan} */
    boolean isLeftAlone() {
        return personEdits.stream().noneMatch(PersonEdit::matters);
    }

    /**
     * {@return whether a person may have created it a second time} A deleted document is forgotten, and may return by
     * an edit on a node that did not know the deletion; a refused document that is corrected is a new job.
     */
    boolean isPutAnew() {
        return personEdits.contains(PersonEdit.DELETE)
                || (personEdits.contains(PersonEdit.TURN_BACK)
                        && (personEdits.contains(PersonEdit.CHANGE) || personEdits.contains(PersonEdit.CORRUPT)));
    }

    boolean succeeds() {
        return !isBroken() && steps.stream().allMatch(ScenarioStep::succeeds);
    }
}
