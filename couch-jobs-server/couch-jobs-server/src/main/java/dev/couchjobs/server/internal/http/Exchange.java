package dev.couchjobs.server.internal.http;

import dev.couchjobs.RawPayload;
import dev.couchjobs.loop.SafeLog;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** One request and its reply. */
public final class Exchange {
    private static final SafeLog LOG = SafeLog.of(Exchange.class);
    /** How much of a request is read in vain, so that its client can read why it is refused. */
    public static final int UNWANTED_BYTES_MAX = 64 * 1024 * 1024;

    private static final Set<String> FORM_TYPES =
            Set.of("text/plain", "multipart/form-data", "application/x-www-form-urlencoded");

    private static final String CONTENT_TYPE = "Content-Type";
    private static final Set<String> SINGLE =
            Set.of(CONTENT_TYPE, "Idempotency-Key", "Last-Event-ID", "Origin", "Sec-Fetch-Site");

    private static final Problem NOT_WANTED = Problem.of(413, "body-too-large", "The operation takes no body.");
    private static final Problem NOT_JSON =
            Problem.of(415, "not-json", "The body must be JSON.").detail("Send Content-Type: application/json.");

    private final HttpServletRequest request;
    private final AsyncContext async;
    private final AtomicBoolean isReplying = new AtomicBoolean();
    private volatile Optional<ReplyStream> stream = Optional.empty();
    /** Whether the reply is to end, also if it is written in parts and has not begun. */
    private volatile boolean isToEnd;

    private final CompletableFuture<Boolean> replied = new CompletableFuture<>();

    private final Duration transferTime;
    private final WaitingClient client;
    /** Until the last byte of the reply. */
    private final Memory.Share memory;

    private final boolean isRead;
    private boolean isBodyRead;

    private Exchange(HttpServletRequest request, AsyncContext async, Duration transferTime, Memory memory) {
        this.memory = memory.share();
        this.isRead = Set.of("GET", "HEAD").contains(request.getMethod());
        this.request = request;
        this.async = async;
        this.transferTime = transferTime;
        this.client = new WaitingClient(
                request.getAttribute(ClientConnection.ATTRIBUTE) instanceof ClientConnection watched
                        ? watched
                        : ClientConnection.UNWATCHED,
                memory);
    }

    /**
     * {@return a request whose reply comes later}
     *
     * @param transferTime how long its body may take to arrive, and its reply to be taken
     * @param memory for it and for its reply
     */
    public static Exchange begin(
            HttpServletRequest request, HttpServletResponse response, Duration transferTime, Memory memory) {
        AsyncContext async = request.startAsync(request, response);
        async.setTimeout(0);
        return new Exchange(request, async, transferTime, memory);
    }

    /** {@return completes when the reply has ended, or the client is gone} */
    public CompletableFuture<Boolean> replied() {
        return replied;
    }

    public HttpServletRequest request() {
        return request;
    }

    public String method() {
        return request.getMethod();
    }

    public boolean isHead() {
        return request.getMethod().equals("HEAD");
    }

    /** {@return the path behind the place where the servlet is mounted, encoded} */
    public String path() {
        String uri = request.getRequestURI();
        String mounted = request.getContextPath() + request.getServletPath();
        return uri.startsWith(mounted) ? uri.substring(mounted.length()) : uri;
    }

    /** {@return a header} What stands in several lines is one list (RFC 9110, section 5.3). */
    public Optional<String> header(String name) {
        List<String> lines = Collections.list(request.getHeaders(name));
        return lines.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", lines));
    }

    /**
     * Requires that headers with one value have one: which of two counts would be a guess.
     *
     * @throws ProblemException if one is there twice
     */
    public void requireSingleHeaders() {
        for (String name : SINGLE) {
            if (Collections.list(request.getHeaders(name)).size() > 1) {
                throw new ProblemException(Problem.of(400, "invalid-parameter", "A header is given twice.")
                        .detail(name + " is there more than once."));
            }
        }
    }

    /**
     * {@return the query; the body of a form is none}
     *
     * @throws ProblemException if it is not encoded as it should be, or names a parameter twice
     */
    public Map<String, String> query() {
        Map<String, String> query = new LinkedHashMap<>();
        String text = request.getQueryString();
        if (text == null || text.isEmpty()) {
            return query;
        }
        for (String pair : text.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = decode(equals < 0 ? pair : pair.substring(0, equals));
            if (query.put(name, equals < 0 ? "" : decode(pair.substring(equals + 1))) != null) {
                throw new ProblemException(Problem.of(400, "invalid-parameter", "A parameter is given twice.")
                        .detail(name + " is there more than once."));
            }
        }
        return query;
    }

    private static String decode(String text) {
        try {
            return UrlText.ofQuery(text);
        } catch (IllegalArgumentException e) {
            throw new ProblemException(Problem.of(400, "malformed-query", "The query is not encoded as a URL is.")
                    .detail(e.getMessage()));
        }
    }

    /**
     * {@return the body as JSON; a missing node if it is empty}
     *
     * @param payloads where payloads stand in it
     */
    public CompletableFuture<JsonNode> json(int bytesMax, PayloadPlaces payloads) {
        isBodyRead = true;
        try {
            CompletableFuture<byte[]> bytes =
                    header(CONTENT_TYPE).filter(Exchange::isJson).isPresent()
                            ? RequestBody.read(request, bytesMax, tooLarge(bytesMax), transferTime, memory)
                            : RequestBody.read(request, 0, NOT_JSON, transferTime, memory);
            return bytes.thenApply(body -> body.length == 0 ? MissingNode.getInstance() : Json.read(body, payloads));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * {@return whether the body is neither JSON nor what a form of another site can send (the media types of simple
     * requests, Fetch standard)}
     */
    public boolean hasBytes() {
        return header(CONTENT_TYPE)
                .filter(type -> !isJson(type) && !FORM_TYPES.contains(mediaType(type)))
                .isPresent();
    }

    /** {@return the body as a payload} */
    public CompletableFuture<RawPayload> bytes(int bytesMax) {
        isBodyRead = true;
        try {
            return RequestBody.read(request, bytesMax, tooLarge(bytesMax), transferTime, memory)
                    .thenApply(body -> RawPayload.of(header(CONTENT_TYPE).orElseThrow(), body));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static String mediaType(String contentType) {
        return contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    private static boolean isJson(String contentType) {
        return mediaType(contentType).equals(Reply.JSON);
    }

    private static Problem tooLarge(int bytesMax) {
        return Problem.of(413, "body-too-large", "The body is too large.")
                .detail("A body has at most " + bytesMax + " bytes: send less at once.");
    }

    /** {@return the connection of the client, which also ends when the exchange is interrupted} */
    public WaitingClient connection() {
        return client;
    }

    /** Ends the exchange before its operation does; for the operation that is as if the client had left. */
    public void interrupt(Reply reply) {
        if (isReplying.compareAndSet(false, true)) {
            begin(reply);
            client.leave();
        } else {
            endStream();
        }
    }

    /** Another thread may begin the stream at the same time: it looks afterwards whether the stream is to end. */
    private void endStream() {
        isToEnd = true;
        stream.ifPresent(ReplyStream::end);
    }

    /**
     * Ends the exchange with a reply, or begins the body that a reply writes in parts. If a body is being written in
     * parts, that ends; after an end the reply is not sent.
     *
     * <p>If the body of the request was not wanted, it is read before, up to a limit: a client may write all of it
     * before it reads a reply.
     */
    public void end(Reply reply) {
        if (isReplying.compareAndSet(false, true)) {
            begin(reply);
        } else {
            endStream();
            reply.unsent();
        }
    }

    private void begin(Reply wanted) {
        Reply reply = held(isStream(wanted) ? withRoom(wanted) : wanted);
        if (!isStream(reply)) {
            client.unwatch();
        }
        if (isBodyRead || !hasBody()) {
            write(reply);
            return;
        }
        Reply last = reply.with("Connection", "close");
        if (header("Expect").isPresent()) {
            write(last);
            return;
        }
        try {
            var unused = RequestBody.read(request, 0, NOT_WANTED, transferTime, memory)
                    .whenComplete((empty, error) -> write(error == null || RequestBody.isAtEnd(error) ? reply : last));
        } catch (IOException | RuntimeException e) {
            write(last);
        }
    }

    /** {@return a reply that is written in parts, or another one if too many clients wait} */
    private Reply withRoom(Reply stream) {
        if (client.takeRoom(1)) {
            return stream;
        }
        stream.unsent();
        return WaitingClient.TOO_MANY.reply();
    }

    /** {@return the reply, which is held in place of the request; of a read another one if there is no room for it} */
    private Reply held(Reply reply) {
        memory.release();
        if (memory.grow(reply.body().length) || !isRead) { // what a write has done, its caller has to know
            return reply;
        }
        reply.unsent();
        return Problem.of(503, "busy", "The memory for replies is in use.")
                .detail("Try again; ask for less at once.")
                .header("Retry-After", "1")
                .reply();
    }

    /** The last byte of the reply is on its way, or the client is gone. */
    private void complete() {
        memory.release();
        async.complete();
        replied.complete(true);
    }

    private boolean isStream(Reply reply) {
        return reply.source().isPresent() && !isHead();
    }

    private boolean hasBody() {
        return request.getContentLengthLong() > 0 || header("Transfer-Encoding").isPresent();
    }

    private void write(Reply reply) {
        try {
            HttpServletResponse response = (HttpServletResponse) async.getResponse();
            response.setStatus(reply.status());
            reply.headers().forEach(response::setHeader);
            response.setHeader("X-Content-Type-Options", "nosniff");
            if (request.getAttribute(ExactHeaders.ATTRIBUTE) instanceof ExactHeaders exact) {
                Optional.ofNullable(reply.headers().get(CONTENT_TYPE)).ifPresent(type -> exact.set(CONTENT_TYPE, type));
            }
            if (isStream(reply)) {
                ReplyStream begun =
                        ReplyStream.begin(async, client, reply.source().orElseThrow(), memory);
                stream = Optional.of(begun);
                var unused = begun.closed().thenAccept(replied::complete);
                if (isToEnd) {
                    begun.end();
                }
                return;
            }
            ReplyWriter.write(async, reply, isHead(), transferTime, this::complete);
            if (reply.source().isPresent()) {
                reply.unsent(); // only the head was asked for
            }
        } catch (IOException | IllegalStateException e) {
            LOG.debug("A reply could not be written: the client has gone", e);
            reply.unsent();
            complete();
        } catch (Throwable e) { // else the client would wait for good
            LOG.error("A reply could not be written", e);
            reply.unsent();
            fail();
        }
    }

    /** Ends the reply as it is, with another status if the client has none yet. */
    private void fail() {
        client.unwatch();
        try {
            ((HttpServletResponse) async.getResponse()).setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
        } finally {
            complete();
        }
    }
}
