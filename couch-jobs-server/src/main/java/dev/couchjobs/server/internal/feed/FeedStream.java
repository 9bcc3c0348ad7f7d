package dev.couchjobs.server.internal.feed;

import dev.couchjobs.ChangePage;
import dev.couchjobs.server.internal.http.ReplyStream;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** Writes changes to one client until it leaves, has got as many as it wanted, or was told that some are lost. */
final class FeedStream {
    private static final Logger LOG = LoggerFactory.getLogger(FeedStream.class);

    private final Follower follower;
    private final Form form;
    private final Duration heartbeat;
    private final ReplyStream stream;
    private long left;
    private long writtenAt;

    /** What this waits for, to be cancelled when the client leaves. */
    private volatile CompletableFuture<Boolean> wait = CompletableFuture.completedFuture(true);

    /** How changes are written. */
    enum Form {
        /** A line for each, as CouchDB's continuous feed has them. */
        LINES("application/x-ndjson", "\n"),
        /** Server-sent events. */
        EVENTS("text/event-stream;charset=utf-8", ":\n\n");

        private final String contentType;
        private final String heartbeat;

        Form(String contentType, String heartbeat) {
            this.contentType = contentType;
            this.heartbeat = heartbeat;
        }

        String contentType() {
            return contentType;
        }

        byte[] text(List<JsonNode> rows, Optional<String> end, boolean isTrimmed) {
            return this == LINES ? ChangeText.lines(rows, end, isTrimmed) : ChangeText.events(rows, end, isTrimmed);
        }
    }

    FeedStream(Follower follower, Form form, Duration heartbeat, Optional<Long> limit, ReplyStream stream) {
        this.follower = follower;
        this.form = form;
        this.heartbeat = heartbeat;
        this.stream = stream;
        this.left = limit.orElse(Long.MAX_VALUE);
    }

    void run() {
        var unused = stream.closed().whenComplete((done, error) -> wait.cancel(false));
        // The first bytes tell the client that it is connected.
        unused = beat().thenCompose(this::proceed).whenComplete((done, error) -> {
            if (error != null && !stream.closed().isDone()) {
                LOG.warn("A feed has ended with an error: its client will connect again", error);
            }
            stream.end();
        });
    }

    private CompletableFuture<Boolean> beat() {
        return write(ChangeText.utf8(form.heartbeat));
    }

    private CompletableFuture<Boolean> write(byte[] text) {
        writtenAt = ServerEnvironment.clock().millis();
        return stream.write(text);
    }

    private CompletableFuture<Boolean> proceed(boolean isConnected) {
        return isConnected ? follower.next().thenCompose(this::tell) : CompletableFuture.completedFuture(false);
    }

    private CompletableFuture<Boolean> tell(ChangePage page) {
        List<JsonNode> rows = ChangeText.first(ChangeText.rows(page, follower), left);
        left -= rows.size();
        boolean isOver = left <= 0 || page.isTrimmed();
        if (rows.isEmpty() && !isOver) {
            return isSilent() ? beat().thenCompose(taken -> goOn(page, taken)) : goOn(page, true);
        }
        String next = left <= 0 ? rows.get(rows.size() - 1).get("seq").stringValue() : Sequences.format(page.next());
        return write(form.text(rows, isOver ? Optional.of(next) : Optional.empty(), page.isTrimmed()))
                .thenCompose(taken -> goOn(page, taken && !isOver));
    }

    /** A follower of one job may read for long what it does not tell. */
    private boolean isSilent() {
        return ServerEnvironment.clock().millis() - writtenAt > heartbeat.toMillis();
    }

    private CompletableFuture<Boolean> goOn(ChangePage page, boolean isConnected) {
        if (!isConnected || page.hasMore()) {
            return proceed(isConnected);
        }
        return await();
    }

    private CompletableFuture<Boolean> await() {
        CompletableFuture<Boolean> changed = follower.await(heartbeat);
        wait = changed;
        if (stream.closed().isDone()) {
            changed.cancel(false);
        }
        return changed.thenCompose(
                isChanged -> isChanged ? proceed(true) : beat().thenCompose(taken -> taken ? await() : proceed(false)));
    }
}
