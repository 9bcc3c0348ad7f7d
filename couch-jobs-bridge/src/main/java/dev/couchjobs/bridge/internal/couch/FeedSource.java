package dev.couchjobs.bridge.internal.couch;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** A source of changes: one connection that stays open, or one poll. */
interface FeedSource {
    void begin();

    /** Requests more changes, after the sink had no room. */
    void demand();

    /** Ends the source. It makes no further call. */
    void cancel();

    /** Receives the changes. */
    interface Sink {
        /** {@return whether the source continues; otherwise it waits for {@link FeedSource#demand}} */
        boolean rows(FeedSource from, List<FeedRow> rows);

        /** The server has sent a heartbeat. */
        void heartbeat(FeedSource from);

        /** The source has ended. This is its last call. */
        void ended(FeedSource from, End end);
    }

    /** What a source has shown about streaming. */
    enum Streaming {
        /** Heartbeats arrived in time. */
        SEEN,
        /** The stream fell silent before its first heartbeat; a proxy may hold it back. */
        HELD_BACK,
        /** The server does not stream. */
        IMPOSSIBLE,
        /** Nothing. */
        UNKNOWN
    }

    /**
     * The end of a source.
     *
     * @param fault the fault; empty if the server ended it regularly
     * @param hasRows whether it has brought changes
     * @param hasLasted whether it has lasted, so that the next one may begin at once
     * @param position the server's position after all rows
     * @param streaming what it has shown about streaming
     */
    record End(
            Optional<RuntimeException> fault,
            boolean hasRows,
            boolean hasLasted,
            Optional<JsonNode> position,
            Streaming streaming) {}
}
