package dev.couchjobs.bridge.internal.couch;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Reads the body of an answer up to a limit. A larger body is not read to its end, and the result is empty. */
final class BoundedBody implements BodySubscriber<Optional<ByteChunks>> {
    private final int most;
    private final ByteChunks byteChunks = new ByteChunks();
    private final CompletableFuture<Optional<ByteChunks>> body = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;

    private BoundedBody(int most) {
        this.most = most;
    }

    static BodyHandler<Optional<ByteChunks>> ofAtMost(int bytes) {
        return info -> new BoundedBody(bytes);
    }

    @Override
    public CompletionStage<Optional<ByteChunks>> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription source) {
        subscription = source;
        source.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            if (byteChunks.size() + buffer.remaining() > most) {
                giveUp();
                return;
            }
            byteChunks.take(buffer);
        }
        if (subscription != null) {
            subscription.request(1);
        }
    }

    private void giveUp() {
        if (subscription != null) {
            subscription.cancel();
        }
        body.complete(Optional.empty());
    }

    @Override
    public void onError(Throwable error) {
        body.completeExceptionally(error);
    }

    @Override
    public void onComplete() {
        body.complete(Optional.of(byteChunks));
    }
}
