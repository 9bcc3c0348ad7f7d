package dev.couchjobs.bridge.internal.couch;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Where a feed is, and in which database: a position means nothing in another one, and not every server says so. What a
 * server itself calls a position is a text, a number or an array, so an object is always one of these.
 *
 * @param database its {@link DatabaseIdentity}; empty if that is not known
 * @param since the server's own position; null for the beginning
 */
record FeedPosition(Optional<String> database, @Nullable JsonNode since) {
    private static final String DATABASE = "database";
    private static final String SINCE = "since";

    /** Reads what {@link #stored} has written, or what a server calls a position. */
    static FeedPosition of(@Nullable JsonNode stored) {
        return stored != null && stored.isObject()
                ? new FeedPosition(Optional.of(stored.path(DATABASE).asString("")), stored.path(SINCE))
                : new FeedPosition(Optional.empty(), stored);
    }

    boolean isOfAnotherThan(Optional<String> found) {
        return database.isPresent() && !database.equals(found);
    }

    /** {@return this position in the database that was found; its beginning if this is of another one} */
    FeedPosition in(Optional<String> found) {
        return new FeedPosition(found, isOfAnotherThan(found) ? null : since);
    }

    FeedPosition at(@Nullable JsonNode other) {
        return new FeedPosition(database, other);
    }

    /** {@return what to store of another position in this one's database} */
    JsonNode stored(JsonNode other) {
        return database.<JsonNode>map(known -> JsonNodeFactory.instance
                        .objectNode()
                        .put(DATABASE, known)
                        .set(SINCE, other))
                .orElse(other);
    }
}
