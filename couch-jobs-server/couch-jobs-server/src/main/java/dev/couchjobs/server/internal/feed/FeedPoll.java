package dev.couchjobs.server.internal.feed;

import dev.couchjobs.ChangePage;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import dev.couchjobs.server.internal.http.Waiting;
import dev.couchjobs.server.internal.http.WaitingClient;
import dev.couchjobs.server.internal.json.Fields;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** Replies with changes, as soon as there are some that the client wants; with none when the time is up. */
final class FeedPoll {
    private final Follower follower;
    private final Instant until;
    private final long limit;

    FeedPoll(Follower follower, Duration timeout, Optional<Long> limit) {
        this.limit = limit.orElse(Long.MAX_VALUE);
        this.follower = follower;
        this.until = ServerEnvironment.now().plus(timeout);
    }

    /** A page with the changes that the client wants. */
    private record Found(ChangePage page, List<JsonNode> rows) {
        boolean isEmpty() {
            return rows.isEmpty() && !page.isTrimmed();
        }
    }

    CompletableFuture<Reply> run(WaitingClient client) {
        return new Waiting<>(this::next, Found::isEmpty, follower::await, until)
                .run(client)
                .thenApply(found -> reply(found.page(), found.rows(), ChangeText.first(found.rows(), limit)));
    }

    private CompletableFuture<Found> next() {
        return follower.next().thenApply(page -> new Found(page, ChangeText.rows(page, follower)));
    }

    private static Reply reply(ChangePage page, List<JsonNode> found, List<JsonNode> rows) {
        boolean isAll = rows.size() == found.size();
        Fields fields = new Fields()
                .putAll("results", rows, row -> row)
                .put(
                        "last_seq",
                        isAll
                                ? Sequences.format(page.next())
                                : rows.get(rows.size() - 1).get("seq").stringValue())
                .put("more", page.hasMore() || !isAll);
        if (page.isTrimmed()) {
            fields.put("trimmed", true);
        }
        return Reply.ok(fields.node());
    }
}
