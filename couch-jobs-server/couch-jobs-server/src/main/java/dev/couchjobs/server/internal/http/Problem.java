package dev.couchjobs.server.internal.http;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * An error as RFC 9457 describes it. Its detail names the cure.
 *
 * @param code what the type of the problem ends with, stable for programs
 * @param members further members of the problem, for programs
 * @param headers headers that the reply needs, such as {@code Retry-After}
 * @param errors the fields that are wrong, if the problem has several
 */
public record Problem(
        int status,
        String code,
        String title,
        @Nullable String detail,
        Map<String, String> members,
        Map<String, String> headers,
        List<FieldError> errors) {
    public static final String CONTENT_TYPE = "application/problem+json";
    private static final String TYPE = "urn:couch-jobs:problem:";

    /**
     * What is wrong at one place.
     *
     * @param pointer where: a JSON pointer into the body, or the name of a parameter
     */
    public record FieldError(String pointer, String detail) {}

    public static Problem of(int status, String code, String title) {
        return new Problem(status, code, title, null, Map.of(), Map.of(), List.of());
    }

    public Problem detail(@Nullable String newDetail) {
        return new Problem(status, code, title, newDetail, members, headers, errors);
    }

    public Problem header(String name, String value) {
        return new Problem(status, code, title, detail, members, Map.of(name, value), errors);
    }

    public Problem member(String name, String value) {
        return new Problem(status, code, title, detail, Map.of(name, value), headers, errors);
    }

    public Problem headers(Map<String, String> newHeaders) {
        return new Problem(status, code, title, detail, members, newHeaders, errors);
    }

    public Problem errors(List<FieldError> newErrors) {
        return new Problem(status, code, title, detail, members, headers, newErrors);
    }

    public Reply reply() {
        return reply(CONTENT_TYPE, body());
    }

    /** {@return its members as JSON} */
    public ObjectNode body() {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("type", TYPE + code);
        body.put("title", title);
        body.put("status", status);
        if (detail != null) {
            body.put("detail", detail);
        }
        members.forEach(body::put);
        if (!errors.isEmpty()) {
            errors.forEach(error -> body.withArray("errors")
                    .addObject()
                    .put("pointer", error.pointer())
                    .put("detail", error.detail()));
        }
        return body;
    }

    /** {@return a reply with the status and the headers of this problem} */
    public Reply reply(String contentType, JsonNode body) {
        Reply reply = Reply.of(status, contentType, Json.write(body));
        for (Map.Entry<String, String> header : headers.entrySet()) {
            reply = reply.with(header.getKey(), header.getValue());
        }
        return reply;
    }
}
