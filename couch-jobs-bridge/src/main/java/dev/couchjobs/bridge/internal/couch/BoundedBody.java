package dev.couchjobs.bridge.internal.couch;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Reads an answer, unless it is too large: then no more of it is taken from the connection. */
final class BoundedBody implements BodySubscriber<BoundedBody.Content> {

    /** What came. */
    @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
    record Content(byte[] bytes, boolean isWhole) {}

    private final int most;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<Content> body = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;

    private BoundedBody(int most) {
        this.most = most;
    }

    static BodyHandler<Content> ofAtMost(int bytes) {
        return info -> new BoundedBody(bytes);
    }

    @Override
    public CompletionStage<Content> getBody() {
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
            if (bytes.size() + buffer.remaining() > most) {
                giveUp();
                return;
            }
            byte[] piece = new byte[buffer.remaining()];
            buffer.get(piece);
            bytes.writeBytes(piece);
        }
        if (subscription != null) {
            subscription.request(1);
        }
    }

    private void giveUp() {
        if (subscription != null) {
            subscription.cancel();
        }
        body.complete(new Content(new byte[0], false));
    }

    @Override
    public void onError(Throwable error) {
        body.completeExceptionally(error);
    }

    @Override
    public void onComplete() {
        body.complete(new Content(bytes.toByteArray(), true));
    }
}
