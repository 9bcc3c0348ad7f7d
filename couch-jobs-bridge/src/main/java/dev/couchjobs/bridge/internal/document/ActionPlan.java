package dev.couchjobs.bridge.internal.document;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The action of a step. */
public sealed interface ActionPlan {

    /**
     * A command of the Unix shell.
     *
     * @param command the text for {@code sh -c}
     * @param directory the working directory; empty for that of the configuration
     * @param environment variables in addition to those that the configuration allows
     */
    record Shell(String command, Optional<String> directory, Map<String, String> environment) implements ActionPlan {
        public Shell {
            environment = Map.copyOf(environment);
        }
    }

    /**
     * An HTTP request.
     *
     * @param method the method, such as {@code POST}
     * @param url the address
     * @param headers the headers of the request
     * @param body a text, or JSON that is sent as such; JSON null for none
     * @param timeout the time limit for the answer; empty for that of the step
     */
    record Http(String method, String url, Map<String, String> headers, JsonNode body, Optional<Duration> timeout)
            implements ActionPlan {
        public Http {
            headers = Map.copyOf(headers);
        }
    }

    /**
     * A handler in Java.
     *
     * @param name the name of the registered handler
     * @param data the data for the handler; JSON null for none
     */
    record Java(String name, JsonNode data) implements ActionPlan {}
}
