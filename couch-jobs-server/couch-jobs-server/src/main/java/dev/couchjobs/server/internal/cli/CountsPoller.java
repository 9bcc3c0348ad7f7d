package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.http.ServerEnvironment;
import dev.couchjobs.server.internal.json.Fields;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the counts of types again and again: when the feed of a server tells of a change, and a few seconds after the
 * last time in any case, as a pause is no change of a job. In a database that the command has opened itself it polls.
 */
final class CountsPoller {
    static final Duration PERIOD = Duration.ofSeconds(1);
    private static final String NOW = "now";
    private static final Duration QUIET = Duration.ofSeconds(5);

    private final Session session;
    private final List<String> types;
    private final Map<String, Long> endedBefore = new HashMap<>();
    private Instant readAt = Instant.EPOCH;
    private String seen = NOW;
    private boolean hasFeed = true;

    /** Of types; of all that there are at each time if the list is empty. */
    CountsPoller(Session session, List<String> types) {
        this.session = session;
        this.types = types;
    }

    /** {@return the types as they are now, each with the field {@code endedPerSecond} since the last call} */
    List<JsonNode> read() {
        Instant now = ServerEnvironment.now();
        double seconds = Duration.between(readAt, now).toNanos() / 1e9;
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

    /** Waits until there is a change since the last call, or some time has passed. The first call only begins. */
    void awaitChange() {
        if (session.local().isPresent() || !hasFeed) {
            return;
        }
        Address feed = (types.size() == 1 ? Address.of("/v1/types/{}/feed", types.get(0)) : Address.of("/v1/feed"))
                .with("since", Optional.of(seen))
                .with("feed", Optional.of(seen.equals(NOW) ? "normal" : "longpoll"))
                .with("timeout", Optional.of(QUIET));
        ApiReply reply = session.stop().waiting(() -> session.api().send("GET", feed, MissingNode.getInstance()));
        hasFeed = reply.status() == 200;
        seen = reply.json().path("last_seq").asString(seen);
    }

    /** {@return what tells whether a type has changed: its counts and its pause} */
    static JsonNode state(JsonNode row) {
        return new Fields()
                .put("counts", row.path("counts"))
                .put("pause", row.path("pause"))
                .node();
    }
}
