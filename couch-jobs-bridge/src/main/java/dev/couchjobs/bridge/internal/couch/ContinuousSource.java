package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.loop.DurationText;
import java.io.ByteArrayInputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A continuous {@code _changes} feed: one connection, with a line for each change and blank lines for heartbeats. */
final class ContinuousSource implements FeedSource, LineReader.Sink {
    private static final String START_OF_A_WHOLE_ANSWER = "{\"results\"";

    private final CouchSettings settings;
    private final Address address;
    private final Transport transport;
    private final @Nullable JsonNode since;
    private final Sink sink;
    private final LineReader lines = new LineReader(this);
    private final Watchdog watchdog;
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final Instant begun;
    private @Nullable CompletableFuture<?> response;
    private Flow.@Nullable Subscription subscription;

    // Only the thread that reads writes this field, or one that it happens before.
    private List<FeedRow> rows = new ArrayList<>();
    private Optional<JsonNode> lastPosition = Optional.empty();
    private volatile boolean hasRows;
    private volatile Streaming streaming = Streaming.UNKNOWN;

    ContinuousSource(
            CouchSettings settings, Address address, Transport transport, @Nullable JsonNode since, Sink sink) {
        this.settings = settings;
        this.address = address;
        this.transport = transport;
        this.since = since;
        this.sink = sink;
        this.begun = settings.environment().clock().instant();
        this.watchdog = new Watchdog(
                settings.environment().scheduler(),
                settings.heartbeat(),
                () -> settings.executor().execute(this::fellSilent));
    }

    @Override
    public void begin() {
        watchdog.start();
        String path = "/_changes?feed=continuous&style=all_docs&heartbeat="
                + settings.heartbeat().toMillis() + SinceParameter.parameter(since);
        CompletableFuture<CouchResponse> opened = transport.open(
                Transport.request("GET", address.of(path), null),
                info -> info.statusCode() == 200
                        ? new Body()
                        : BoundedBody.ofAtMost(Transport.LARGEST_ANSWER).apply(info),
                watchdog);
        synchronized (this) {
            response = opened;
        }
        var unused = opened.whenComplete((couchResponse, thrown) -> {
            if (thrown != null) {
                end(Optional.of(TransientException.of(thrown)));
            } else if (couchResponse.status() != 200) {
                end(Optional.of(couchResponse.refusal(
                        "GET " + address + "/_changes",
                        settings.environment().clock().instant())));
            }
        });
    }

    /** Requests as many pieces from the connection as the sink has demand for. */
    private final class Body implements BodySubscriber<Optional<ByteChunks>> {
        @Override
        public CompletionStage<Optional<ByteChunks>> getBody() {
            return CompletableFuture.completedFuture(Optional.empty());
        }

        @Override
        public void onSubscribe(Flow.Subscription started) {
            synchronized (ContinuousSource.this) {
                subscription = started;
            }
            if (isOver.get()) {
                started.cancel();
            } else {
                demand();
            }
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            // The pause precedes the next demand of the sink, which may come from any thread.
            watchdog.pause();
            Optional<RuntimeException> fault = read(buffers);
            List<FeedRow> read = rows;
            rows = new ArrayList<>();
            hasRows |= !read.isEmpty();
            boolean readOn = read.isEmpty() || sink.rows(ContinuousSource.this, read);
            if (fault.isPresent()) {
                end(fault);
            } else if (readOn) {
                demand();
            }
        }

        @Override
        public void onError(Throwable thrown) {
            end(Optional.of(TransientException.of(thrown)));
        }

        @Override
        public void onComplete() {
            end(
                    lines.isTruncated()
                            ? Optional.of(new TransientException("The feed ended within a line"))
                            : Optional.empty());
        }
    }

    private Optional<RuntimeException> read(List<ByteBuffer> buffers) {
        try {
            buffers.forEach(lines::read);
            return Optional.empty();
        } catch (TransientException | UnreadableException e) {
            return Optional.of(e);
        }
    }

    @Override
    public void line(byte[] bytes, int length) {
        if (isCompleteResponse(bytes, length)) {
            streaming = Streaming.IMPOSSIBLE;
            throw new TransientException("The server has no continuous feed");
        }
        JsonNode line = Json.read(new ByteArrayInputStream(bytes, 0, length));
        if (line.has("last_seq")) {
            lastPosition = Optional.of(line.path("last_seq"));
        } else if (line.has("error")) {
            throw new TransientException("The feed broke off: " + line);
        } else {
            rows.add(FeedRow.of(line));
        }
    }

    private static boolean isCompleteResponse(byte[] bytes, int length) {
        int compared = Math.min(length, START_OF_A_WHOLE_ANSWER.length());
        return new String(bytes, 0, compared, StandardCharsets.UTF_8).equals(START_OF_A_WHOLE_ANSWER);
    }

    @Override
    public void heartbeat() {
        if (rows.isEmpty()) {
            streaming = Streaming.SEEN;
            sink.heartbeat(this);
        }
    }

    private void fellSilent() {
        if (streaming == Streaming.UNKNOWN) {
            streaming = Streaming.HELD_BACK;
        }
        end(Optional.of(new TransientException(
                "The feed has been silent for more than two heartbeats of " + DurationText.of(settings.heartbeat()))));
    }

    private void end(Optional<RuntimeException> fault) {
        if (stop()) {
            Instant now = settings.environment().clock().instant();
            boolean hasLasted = !now.isBefore(begun.plus(settings.heartbeat()));
            sink.ended(this, new End(fault, hasRows, hasLasted, lastPosition, streaming));
        }
    }

    @Override
    public void demand() {
        watchdog.listen();
        Flow.Subscription open;
        synchronized (this) {
            open = subscription;
        }
        if (open != null) {
            open.request(1);
        }
    }

    @Override
    public void cancel() {
        stop();
    }

    private boolean stop() {
        if (!isOver.compareAndSet(false, true)) {
            return false;
        }
        watchdog.stop();
        synchronized (this) {
            if (subscription != null) {
                subscription.cancel();
            }
            if (response != null) {
                response.cancel(true);
            }
        }
        return true;
    }
}
