package dev.couchjobs.bridge.internal.wiring;

import dev.couchjobs.bridge.internal.document.ActionPlan;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** Hands a work item to what is done for its kind: as data, as a body, or in the environment. */
final class WorkActions {
    private static final String VARIABLE = "COUCHJOBS_DOCUMENT";

    private WorkActions() {}

    /** {@return the action for one item} What the operator has given it stays in its place. */
    static ActionPlan of(ActionPlan kind, ObjectNode item) {
        if (kind instanceof ActionPlan.Shell shell) {
            Map<String, String> variables = new HashMap<>(shell.environment());
            variables.putIfAbsent(VARIABLE, item.toString());
            return new ActionPlan.Shell(shell.command(), shell.directory(), variables);
        }
        if (kind instanceof ActionPlan.Http http) {
            return http.body().isNull()
                    ? new ActionPlan.Http(http.method(), http.url(), http.headers(), item, http.timeout())
                    : http;
        }
        ActionPlan.Java java = (ActionPlan.Java) kind;
        return java.data().isNull() ? new ActionPlan.Java(java.name(), item) : java;
    }
}
