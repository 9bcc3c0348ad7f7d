package dev.couchjobs.bridge.internal.couch;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * The position of a feed, with the identity of its database. A position is invalid in another database, which not every
 * server detects. The positions of servers are texts, numbers or arrays; an object is one of this class.
 *
 * @param database its {@link DatabaseIdentity}; empty if it is not known
 * @param since the server's position; null for the beginning
 */
record FeedPosition(Optional<String> database, @Nullable JsonNode since) {
    private static final String DATABASE = "database";
    private static final String SINCE = "since";

    /** {@return a position that {@link #stored} has written, or a server's own} */
    static FeedPosition of(@Nullable JsonNode stored) {
        return stored != null && stored.isObject()
                ? new FeedPosition(Optional.of(stored.path(DATABASE).asString("")), stored.path(SINCE))
                : new FeedPosition(Optional.empty(), stored);
    }

    boolean isOfAnotherThan(Optional<String> found) {
        return database.isPresent() && !database.equals(found);
    }

    /** {@return this position in the given database; the beginning if it belongs to another one} */
    FeedPosition in(Optional<String> found) {
        return new FeedPosition(found, isOfAnotherThan(found) ? null : since);
    }

    FeedPosition at(@Nullable JsonNode other) {
        return new FeedPosition(database, other);
    }

    /** {@return the stored form of another position in the same database} */
    JsonNode stored(JsonNode other) {
        return database.<JsonNode>map(known -> JsonNodeFactory.instance
                        .objectNode()
                        .put(DATABASE, known)
                        .set(SINCE, other))
                .orElse(other);
    }
}
