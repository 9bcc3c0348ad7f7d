package dev.couchjobs.bridge.internal.couch;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Where changes come from for a while: one connection that stays open, or one poll. */
interface FeedSource {
    void begin();

    /** There is room for more changes, after the sink had none. */
    void demand();

    /** Ends it without a word to the sink. */
    void cancel();

    /** What happens to the changes. */
    interface Sink {
        /** {@return whether to read on; if not, {@link FeedSource#demand} will be called} */
        boolean rows(FeedSource from, List<FeedRow> rows);

        /** The server shows that it is there, and has nothing to say. */
        void heartbeat(FeedSource from);

        /** The last call. */
        void ended(FeedSource from, End end);
    }

    /** What an end says about how the server streams. */
    enum Streaming {
        /** Heartbeats came when they should. */
        SEEN,
        /** It fell silent, and never had a heartbeat come by itself: perhaps something on the way holds it back. */
        HELD_BACK,
        /** It does not know how to. */
        IMPOSSIBLE,
        /** Nothing at all. */
        UNKNOWN
    }

    /**
     * How it ended.
     *
     * @param fault what was wrong; empty if the server ended it in order
     * @param wasUseful whether it brought anything, or lasted for a while: so the next one may begin at once
     * @param position where the server says the feed is, behind all rows
     * @param streaming what it says about streaming
     */
    record End(Optional<RuntimeException> fault, boolean wasUseful, Optional<JsonNode> position, Streaming streaming) {}
}
