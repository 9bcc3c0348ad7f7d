package dev.couchjobs.server.internal.feed;

import dev.couchjobs.server.internal.api.PayloadGate;
import dev.couchjobs.topics.MessagePage;
import dev.couchjobs.topics.Position;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Messages whose reads take turns with all reads of payloads, and whose waits do not. */
record MessagesInTurn(Messages messages, PayloadGate payloads) implements Messages {
    @Override
    public CompletableFuture<MessagePage<byte[]>> read(Position from, int limit) {
        return payloads.run(() -> messages.read(from, limit));
    }

    @Override
    public CompletableFuture<Boolean> await(Position from, Duration timeout) {
        return messages.await(from, timeout);
    }
}
