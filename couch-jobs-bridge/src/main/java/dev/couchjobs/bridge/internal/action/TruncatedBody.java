package dev.couchjobs.bridge.internal.action;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Reads the beginning of a body up to a limit. The rest is not requested. */
final class TruncatedBody implements BodySubscriber<TruncatedBody.Beginning> {

    /** The first bytes of a body, and whether the body has more. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Beginning(byte[] bytes, boolean isCut) {}

    private final int limit;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<Beginning> body = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;

    TruncatedBody(int limit) {
        this.limit = limit;
    }

    @Override
    public CompletionStage<Beginning> getBody() {
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
            byte[] piece = new byte[(int) Math.min(buffer.remaining(), limit + 1L - bytes.size())];
            buffer.get(piece);
            bytes.writeBytes(piece);
        }
        if (subscription == null) {
            return;
        }
        if (bytes.size() > limit) {
            subscription.cancel();
            body.complete(new Beginning(Arrays.copyOf(bytes.toByteArray(), limit), true));
        } else {
            subscription.request(1);
        }
    }

    @Override
    public void onError(Throwable error) {
        body.completeExceptionally(error);
    }

    @Override
    public void onComplete() {
        body.complete(new Beginning(bytes.toByteArray(), false));
    }
}
