package dev.couchjobs.server.internal.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What a request is answered with. Immutable; the bytes of the body must not be changed. */
public final class Reply {
    public static final String JSON = "application/json";
    private static final byte[] NOTHING = {};

    private final int status;
    private final Map<String, String> headers;
    private final byte[] body;
    private final Optional<ReplyStream.Source> source;
    private final Runnable ifUnsent;

    public Reply(int status, Map<String, String> headers, byte[] body) {
        this(status, headers, body, Optional.empty(), () -> {});
    }

    private Reply(
            int status,
            Map<String, String> headers,
            byte[] body,
            Optional<ReplyStream.Source> source,
            Runnable ifUnsent) {
        this.status = status;
        this.headers = headers;
        this.body = body;
        this.source = source;
        this.ifUnsent = ifUnsent;
    }

    public static Reply json(int status, JsonNode body) {
        return of(status, JSON, Json.write(body));
    }

    public static Reply ok(JsonNode body) {
        return json(200, body);
    }

    public static Reply empty(int status) {
        return new Reply(status, Map.of(), NOTHING);
    }

    public static Reply of(int status, String contentType, byte[] body) {
        return new Reply(status, Map.of("Content-Type", contentType), body);
    }

    /** {@return a reply whose body is written in parts} */
    public static Reply stream(String contentType, ReplyStream.Source source) {
        return new Reply(200, Map.of("Content-Type", contentType), NOTHING, Optional.of(source), () -> {});
    }

    public Reply with(String header, String value) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.put(header, value);
        return new Reply(status, all, body, source, ifUnsent);
    }

    Reply withBody(byte[] newBody) {
        return new Reply(status, headers, newBody, source, ifUnsent);
    }

    /** {@return this reply, with what is to be done if it cannot be written to the client} */
    public Reply ifUnsent(Runnable action) {
        return new Reply(status, headers, body, source, action);
    }

    /** The reply could not be written. May be called more than once. */
    void unsent() {
        ifUnsent.run();
    }

    public int status() {
        return status;
    }

    public Map<String, String> headers() {
        return headers;
    }

    Optional<ReplyStream.Source> source() {
        return source;
    }

    public byte[] body() {
        return body;
    }
}
