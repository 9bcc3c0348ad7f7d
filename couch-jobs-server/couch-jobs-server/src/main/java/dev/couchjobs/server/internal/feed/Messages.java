package dev.couchjobs.server.internal.feed;

import dev.couchjobs.topics.MessagePage;
import dev.couchjobs.topics.Position;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Messages of a topic, which one position divides into those before and those behind. */
interface Messages {
    /** {@return the messages behind a position, in order} */
    CompletableFuture<MessagePage<byte[]>> read(Position from, int limit);

    /** {@return whether there may be a message behind a position; false when the time is up} */
    CompletableFuture<Boolean> await(Position from, Duration timeout);
}
