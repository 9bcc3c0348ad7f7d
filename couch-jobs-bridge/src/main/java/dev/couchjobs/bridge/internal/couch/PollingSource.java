package dev.couchjobs.bridge.internal.couch;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** One long poll of {@code _changes}: for servers that do not stream, and for proxies that hold a stream back. */
final class PollingSource implements FeedSource {
    private final CouchSettings settings;
    private final Address address;
    private final Transport transport;
    private final @Nullable JsonNode since;
    private final Sink sink;
    private final Duration wait;
    private final Instant begun;
    private volatile boolean isCancelled;
    private volatile @Nullable CompletableFuture<?> poll;

    PollingSource(CouchSettings settings, Address address, Transport transport, @Nullable JsonNode since, Sink sink) {
        this.settings = settings;
        this.address = address;
        this.transport = transport;
        this.since = since;
        this.sink = sink;
        this.begun = settings.environment().clock().instant();
        Duration halfTheTimeout = settings.timeout().dividedBy(2);
        this.wait = settings.heartbeat().compareTo(halfTheTimeout) < 0 ? settings.heartbeat() : halfTheTimeout;
    }

    @Override
    public void begin() {
        // A heartbeat would override the timeout, so that the answer would not end.
        String path = "/_changes?feed=longpoll&style=all_docs&limit=" + settings.batch() + "&timeout=" + wait.toMillis()
                + SinceParameter.parameter(since);
        CompletableFuture<CouchResponse> answered = transport.success("GET", address.of(path), null);
        poll = answered;
        var unused = answered.thenAccept(response -> take(response.json())).whenComplete((done, thrown) -> {
            if (thrown != null && !isCancelled) {
                RuntimeException fault = TransientException.of(thrown);
                sink.ended(this, new End(Optional.of(fault), false, false, Optional.empty(), Streaming.UNKNOWN));
            }
        });
    }

    private void take(JsonNode answer) {
        if (!answer.has("last_seq")) {
            throw new TransientException("The answer of a poll has no last_seq");
        }
        List<FeedRow> rows =
                answer.path("results").valueStream().map(FeedRow::of).toList();
        if (isCancelled) {
            return;
        }
        if (rows.isEmpty()) {
            sink.heartbeat(this);
        } else {
            sink.rows(this, rows);
        }
        boolean hasWaited = !settings.environment().clock().instant().isBefore(begun.plus(wait.dividedBy(2)));
        sink.ended(
                this,
                new End(
                        Optional.empty(),
                        !rows.isEmpty(),
                        hasWaited,
                        Optional.of(answer.path("last_seq")),
                        Streaming.UNKNOWN));
    }

    @Override
    public void demand() {
        // The next poll begins when the sink has room.
    }

    @Override
    public void cancel() {
        isCancelled = true;
        CompletableFuture<?> open = poll;
        if (open != null) {
            open.cancel(true);
        }
    }
}
