package dev.couchjobs.bridge.internal.couch;

import java.util.List;
import tools.jackson.databind.JsonNode;

/** A change, and the position of the feed after it. */
record FeedRow(DocumentChange change, JsonNode position) {

    static FeedRow of(JsonNode row) {
        List<String> revisions = row.path("changes")
                .valueStream()
                .map(version -> version.path("rev").asString())
                .toList();
        String id = row.path("id").asString("");
        if (id.isEmpty() || revisions.isEmpty() || !row.hasNonNull("seq")) {
            throw new TransientException("The feed contains a row that is not a change: " + row);
        }
        return new FeedRow(new DocumentChange(id, revisions, row.path("deleted").asBoolean(false)), row.path("seq"));
    }
}
