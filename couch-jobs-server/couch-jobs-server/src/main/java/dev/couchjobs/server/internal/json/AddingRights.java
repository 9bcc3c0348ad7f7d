package dev.couchjobs.server.internal.json;

import dev.couchjobs.server.Access;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Whether a caller may add a job: of its type, and with what else the job touches that is not of its type. */
final class AddingRights {
    private AddingRights() {}

    /**
     * Requires the rights for a job. Keys, sequences and tags are those of its type.
     *
     * @param body the job, as the schemas have checked it
     * @throws ProblemException if the caller lacks one
     */
    static void require(Access caller, String type, JsonNode body) {
        if (!caller.allows(Role.ADD, Optional.of(type))) {
            throw forbidden("To add a job of the type " + type + " it needs the role add or operate for it.");
        }
        if (body.has("batch") && !caller.allows(Role.ADD, Optional.empty())) {
            throw forbidden("A batch belongs to no type: leave batch out, or use a token for all types.");
        }
        for (JsonNode dependency : body.path("after")) {
            requireToName(caller, dependency.get("type").stringValue());
        }
    }

    /** Who adds a job after another learns whether that one is there. So does who adds one with the same id. */
    private static void requireToName(Access caller, String type) {
        Optional<String> of = Optional.of(type);
        if (!caller.allows(Role.READ, of) && !caller.allows(Role.ADD, of)) {
            throw forbidden("To add a job after one of the type " + type
                    + " it needs the role read, add or operate for that type: leave it out of after, or use a token"
                    + " that has one.");
        }
    }

    private static ProblemException forbidden(String detail) {
        return new ProblemException(
                Problem.of(403, "forbidden", "The caller may not do this.").detail(detail));
    }
}
