package dev.couchjobs.bridge.internal.document;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What a step does. */
public sealed interface ActionPlan {

    /**
     * A command of the Unix shell.
     *
     * @param command what {@code sh -c} is given
     * @param directory where it runs, if not where the operator's configuration says
     * @param environment variables that it sees besides those that the configuration allows
     */
    record Shell(String command, Optional<String> directory, Map<String, String> environment) implements ActionPlan {
        /** Keeps a copy of the map. */
        public Shell {
            environment = Map.copyOf(environment);
        }
    }

    /**
     * An HTTP request.
     *
     * @param method such as {@code POST}
     * @param url where to
     * @param headers what is sent besides
     * @param body a text, or JSON that is sent as such; JSON null for none
     * @param timeout by when the answer has to be there, if not as the step says
     */
    record Http(String method, String url, Map<String, String> headers, JsonNode body, Optional<Duration> timeout)
            implements ActionPlan {
        /** Keeps a copy of the map. */
        public Http {
            headers = Map.copyOf(headers);
        }
    }

    /**
     * A handler in Java.
     *
     * @param name the name under which it is registered
     * @param data what it is given; JSON null for nothing
     */
    record Java(String name, JsonNode data) implements ActionPlan {}
}
