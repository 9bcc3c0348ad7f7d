package dev.couchjobs.server.internal.feed;

import dev.couchjobs.ChangePage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** Changes for one client, until it has got as many as it wanted, or was told that some are lost. */
final class ChangeFeed implements Feed {
    private static final byte[] NOTHING = {};

    private final Follower follower;
    private final Form form;
    private long left;

    /** How changes are written. */
    enum Form {
        /** A line for each, as CouchDB's continuous feed has them. */
        LINES("application/x-ndjson", "\n"),
        /** Server-sent events. */
        EVENTS(Streams.EVENTS, Streams.COMMENT);

        private final String contentType;
        private final String sign;

        Form(String contentType, String sign) {
            this.contentType = contentType;
            this.sign = sign;
        }

        String contentType() {
            return contentType;
        }

        /** {@return a sign of life} */
        String sign() {
            return sign;
        }

        byte[] text(List<JsonNode> rows, Optional<String> end, boolean isTrimmed) {
            return this == LINES ? ChangeText.lines(rows, end, isTrimmed) : ChangeText.events(rows, end, isTrimmed);
        }
    }

    ChangeFeed(Follower follower, Form form, Optional<Long> limit) {
        this.follower = follower;
        this.form = form;
        this.left = limit.orElse(Long.MAX_VALUE);
    }

    @Override
    public CompletableFuture<Part> next() {
        return follower.next().thenApply(this::part);
    }

    private Part part(ChangePage page) {
        List<JsonNode> rows = ChangeText.first(ChangeText.rows(page, follower), left);
        left -= rows.size();
        boolean isOver = left <= 0 || page.isTrimmed();
        if (rows.isEmpty() && !isOver) {
            return new Part(NOTHING, page.hasMore(), false);
        }
        String next = left <= 0 ? rows.get(rows.size() - 1).get("seq").stringValue() : Sequences.format(page.next());
        return new Part(
                form.text(rows, isOver ? Optional.of(next) : Optional.empty(), page.isTrimmed()),
                page.hasMore(),
                isOver);
    }

    @Override
    public CompletableFuture<Boolean> await(Duration timeout) {
        return follower.await(timeout);
    }
}
