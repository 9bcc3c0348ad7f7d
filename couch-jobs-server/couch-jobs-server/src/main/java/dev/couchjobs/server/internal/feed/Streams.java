package dev.couchjobs.server.internal.feed;

import dev.couchjobs.server.internal.api.Call;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** The streams of a server: so many at once. Safe for use by several threads. */
public final class Streams {
    static final String EVENTS = "text/event-stream;charset=utf-8";
    static final String COMMENT = ":\n\n";
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private final int max;
    private final AtomicInteger open = new AtomicInteger();

    /**
     * Makes room.
     *
     * @param max how many clients may have streams at once
     */
    public Streams(int max) {
        this.max = max;
    }

    /** {@return whether a client, such as a browser, asks for server-sent events by the type that it accepts} */
    static boolean wantsEvents(Call call) {
        return call.header("Accept")
                .filter(accept -> accept.contains("text/event-stream"))
                .isPresent();
    }

    /**
     * {@return a reply that writes a feed}
     *
     * @param sign a sign of life
     * @throws ProblemException if there are too many
     */
    Reply reply(Call call, String contentType, String sign, Feed feed) {
        if (open.incrementAndGet() > max) {
            open.decrementAndGet();
            throw new ProblemException(Problem.of(503, "too-many-feeds", "Too many clients follow feeds.")
                    .detail("This server has room for " + max + ": try again later, or poll.")
                    .header("Retry-After", "10"));
        }
        AtomicBoolean isCounted = new AtomicBoolean(true);
        Runnable leave = () -> {
            if (isCounted.getAndSet(false)) {
                open.decrementAndGet();
            }
        };
        Duration heartbeat = call.duration("heartbeat").orElse(HEARTBEAT);
        byte[] signBytes = sign.getBytes(StandardCharsets.UTF_8);
        return Reply.stream(contentType, stream -> {
                    new FeedStream(feed, signBytes, heartbeat, stream).run();
                    var unused = stream.closed().whenComplete((closed, error) -> leave.run());
                })
                .ifUnsent(leave)
                .with("Cache-Control", "no-cache")
                .with("X-Accel-Buffering", "no");
    }
}
