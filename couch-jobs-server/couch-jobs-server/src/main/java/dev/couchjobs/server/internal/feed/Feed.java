package dev.couchjobs.server.internal.feed;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** What a stream writes to its client. One call at a time. */
interface Feed {
    /**
     * What is written at once.
     *
     * @param text empty for nothing
     * @param hasMore whether there is more already
     * @param isLast whether the stream ends behind it
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Part(byte[] text, boolean hasMore, boolean isLast) {}

    /** {@return the next part; the feed is then behind it} */
    CompletableFuture<Part> next();

    /** {@return whether there may be a part; false when the time is up} */
    CompletableFuture<Boolean> await(Duration timeout);
}
