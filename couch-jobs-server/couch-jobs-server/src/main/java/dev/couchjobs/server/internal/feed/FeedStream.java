package dev.couchjobs.server.internal.feed;

import dev.couchjobs.loop.SafeLog;
import dev.couchjobs.server.internal.http.ReplyStream;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Writes a feed to one client until the feed ends or the client leaves. The next part is read when the client has taken
 * the one before, so a slow client holds one part.
 */
final class FeedStream {
    private static final SafeLog LOG = SafeLog.of(FeedStream.class);

    private final Feed feed;
    private final byte[] sign;
    private final Duration heartbeat;
    private final ReplyStream stream;
    private long writtenAt;

    /** What this waits for, to be cancelled when the client leaves. */
    private volatile CompletableFuture<Boolean> wait = CompletableFuture.completedFuture(true);

    /**
     * Makes a stream.
     *
     * @param sign a sign of life
     * @param heartbeat after how long without a part it is written
     */
    FeedStream(Feed feed, byte[] sign, Duration heartbeat, ReplyStream stream) {
        this.feed = feed;
        this.sign = sign;
        this.heartbeat = heartbeat;
        this.stream = stream;
    }

    void run() {
        var unused = stream.closed().whenComplete((done, error) -> wait.cancel(false));
        // The first bytes tell the client that it is connected.
        unused = write(sign).thenCompose(this::proceed).whenComplete((done, error) -> {
            if (error != null && !stream.closed().isDone()) {
                LOG.warn("A feed has ended with an error: its client will connect again", error);
            }
            stream.end();
        });
    }

    private CompletableFuture<Boolean> write(byte[] text) {
        writtenAt = ServerEnvironment.clock().millis();
        return stream.write(text);
    }

    private CompletableFuture<Boolean> proceed(boolean isConnected) {
        return isConnected ? feed.next().thenCompose(this::tell) : CompletableFuture.completedFuture(false);
    }

    private CompletableFuture<Boolean> tell(Feed.Part part) {
        if (part.text().length > 0) {
            return write(part.text()).thenCompose(taken -> goOn(part, taken));
        }
        return isSilent() ? write(sign).thenCompose(taken -> goOn(part, taken)) : goOn(part, true);
    }

    /** A follower of one job may read for long what it does not tell. */
    private boolean isSilent() {
        return ServerEnvironment.clock().millis() - writtenAt > heartbeat.toMillis();
    }

    private CompletableFuture<Boolean> goOn(Feed.Part part, boolean isConnected) {
        if (!isConnected || part.isLast()) {
            return CompletableFuture.completedFuture(false);
        }
        return part.hasMore() ? proceed(true) : await();
    }

    private CompletableFuture<Boolean> await() {
        CompletableFuture<Boolean> changed = feed.await(heartbeat);
        wait = changed;
        if (stream.closed().isDone()) {
            changed.cancel(false);
        }
        return changed.thenCompose(isChanged ->
                isChanged ? proceed(true) : write(sign).thenCompose(taken -> taken ? await() : proceed(false)));
    }
}
