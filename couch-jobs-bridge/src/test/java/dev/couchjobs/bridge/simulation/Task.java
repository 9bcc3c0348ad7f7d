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
 * @param parts what it asks for; none if it cannot be run
 * @param creator the node that it names as its creator, if it can be run
 * @param place the node at whose CouchDB it is put
 * @param time when
 * @param deeds what people have done to it since
 */
record Task(
        String id, ObjectNode body, List<Part> parts, String creator, String place, Duration time, Set<Deed> deeds) {

    Task(String id, ObjectNode body, List<Part> parts, String creator, String place, Duration time) {
        this(id, body, parts, creator, place, time, EnumSet.noneOf(Deed.class));
    }

    boolean isBroken() {
        return parts.isEmpty();
    }

    /** {@return whether its end depends on nothing but what it asks for} */
    boolean isLeftAlone() {
        return deeds.stream().noneMatch(Deed::matters);
    }

    /**
     * {@return whether a person may have put it a second time} What is deleted is forgotten, and may be there again if
     * somebody changed it where that was not known; what was refused and is mended is a new job.
     */
    boolean isPutAnew() {
        return deeds.contains(Deed.DELETE)
                || (deeds.contains(Deed.TURN_BACK) && (deeds.contains(Deed.CHANGE) || deeds.contains(Deed.CORRUPT)));
    }

    boolean succeeds() {
        return !isBroken() && parts.stream().allMatch(Part::succeeds);
    }
}
