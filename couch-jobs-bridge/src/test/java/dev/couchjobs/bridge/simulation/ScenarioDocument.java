package dev.couchjobs.bridge.simulation;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/**
 * A document that is put somewhere, and what is known of it beforehand.
 *
 * @param id its id
 * @param body as it is put
 * @param steps what it asks for; none if it cannot be run
 * @param creator the node that it names as its creator, if it can be run
 * @param place the node at whose CouchDB it is put
 * @param time when
 * @param personEdits what people have done to it since
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

    /** {@return whether its end depends on nothing but what it asks for} */
    boolean isLeftAlone() {
        return personEdits.stream().noneMatch(PersonEdit::matters);
    }

    /**
     * {@return whether a person may have put it a second time} What is deleted is forgotten, and may be there again if
     * somebody changed it where that was not known; what was refused and is mended is a new job.
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
