package dev.couchjobs.server.internal.feed;

import dev.couchjobs.server.internal.api.PayloadGate;
import dev.couchjobs.topics.MessagePage;
import dev.couchjobs.topics.Position;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Messages whose reads take turns with all reads of payloads, and whose waits do not. */
record MessagesInTurn(Messages messages, PayloadGate payloads) {
    /**
     * {@return what becomes of the messages behind a position, in order}
     *
     * @param use is a part of the turn: text needs more memory than what it is made of
     */
    <T> CompletableFuture<T> read(Position from, int limit, Function<MessagePage<byte[]>, T> use) {
        return payloads.run(() -> messages.read(from, limit).thenApply(use));
    }

    /** {@return whether there may be a message behind a position; false when the time is up} */
    CompletableFuture<Boolean> await(Position from, Duration timeout) {
        return messages.await(from, timeout);
    }
}
