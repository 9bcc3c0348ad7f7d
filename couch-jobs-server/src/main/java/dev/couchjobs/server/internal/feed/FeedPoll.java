package dev.couchjobs.server.internal.feed;

import dev.couchjobs.ChangePage;
import dev.couchjobs.server.internal.http.ClientConnection;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import dev.couchjobs.server.internal.json.Fields;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** Replies with changes, as soon as there are some that the client wants; with none when the time is up. */
final class FeedPoll {
    private final Follower follower;
    private final Instant until;

    /** What this waits for, to be cancelled when the client leaves. */
    private volatile CompletableFuture<Boolean> wait = CompletableFuture.completedFuture(true);

    private volatile boolean hasLeft;
    private boolean isWatching;

    FeedPoll(Follower follower, Duration timeout) {
        this.follower = follower;
        this.until = ServerEnvironment.now().plus(timeout);
    }

    CompletableFuture<Reply> run(ClientConnection client) {
        return follower.next().thenCompose(page -> {
            List<JsonNode> rows = ChangeText.rows(page, follower);
            Duration left = Duration.between(ServerEnvironment.now(), until);
            boolean isOver = hasLeft || left.isNegative() || left.isZero();
            if (!rows.isEmpty() || page.isTrimmed() || isOver) {
                return CompletableFuture.completedFuture(reply(page, rows));
            }
            if (!isWatching) {
                isWatching = true;
                client.watch(this::leave);
            }
            return await(left)
                    .thenCompose(
                            changed -> changed ? run(client) : CompletableFuture.completedFuture(reply(page, rows)));
        });
    }

    private CompletableFuture<Boolean> await(Duration left) {
        CompletableFuture<Boolean> changed = follower.await(left);
        wait = changed;
        if (hasLeft) {
            changed.cancel(false);
        }
        return changed.exceptionallyCompose(
                error -> hasLeft ? CompletableFuture.completedFuture(false) : CompletableFuture.failedFuture(error));
    }

    private void leave() {
        hasLeft = true;
        wait.cancel(false);
    }

    private static Reply reply(ChangePage page, List<JsonNode> rows) {
        Fields fields = new Fields()
                .putAll("results", rows, row -> row)
                .put("last_seq", Sequences.format(page.next()))
                .put("more", page.hasMore());
        if (page.isTrimmed()) {
            fields.put("trimmed", true);
        }
        return Reply.ok(fields.node());
    }
}
