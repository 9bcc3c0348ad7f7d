package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.json.Fields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the counts of types again and again. It is the only place that polls: a feed of counts takes its place here.
 */
final class CountsPoller {
    static final Duration PERIOD = Duration.ofSeconds(2);

    private final Session session;
    private final List<String> types;
    private final Map<String, Long> endedBefore = new HashMap<>();
    private long readAt;

    /** Of types; of all that there are at each time if the list is empty. */
    CountsPoller(Session session, List<String> types) {
        this.session = session;
        this.types = types;
    }

    /** {@return the types as they are now, each with the field {@code endedPerSecond} since the last call} */
    List<JsonNode> read() {
        long now = System.nanoTime();
        double seconds = (now - readAt) / 1e9;
        readAt = now;
        List<JsonNode> rows = new ArrayList<>();
        for (String type : types.isEmpty() ? ListCommand.names(session) : types) {
            ObjectNode row = (ObjectNode)
                    session.api().get(Address.of("/v1/types/{}", type)).json().deepCopy();
            JsonNode counts = row.path("counts");
            long ended =
                    counts.path("succeeded").asLong() + counts.path("failed").asLong();
            Long before = endedBefore.put(type, ended);
            if (before != null) {
                row.put("endedPerSecond", Math.round(Math.max(0, ended - before) / seconds));
            }
            rows.add(row);
        }
        return rows;
    }

    /** {@return what tells whether a type has changed: its counts and its pause} */
    static JsonNode state(JsonNode row) {
        return new Fields()
                .put("counts", row.path("counts"))
                .put("pause", row.path("pause"))
                .node();
    }
}
