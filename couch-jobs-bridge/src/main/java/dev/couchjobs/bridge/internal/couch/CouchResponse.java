package dev.couchjobs.bridge.internal.couch;

import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** The answer of a server to a request. */
final class CouchResponse {
    private static final Duration LONGEST_OBEYED = Duration.ofMinutes(10);

    private static final String UNLOCKING =
            " (CouchDB ends the lock by itself, after five minutes unless it is configured"
                    + " otherwise; a client with a wrong password at this machine's address has caused it)";

    private final int status;
    private final HttpHeaders headers;
    private final Optional<ByteChunks> body;

    private CouchResponse(int status, HttpHeaders headers, Optional<ByteChunks> body) {
        this.status = status;
        this.headers = headers;
        this.body = body;
    }

    static CouchResponse of(HttpResponse<Optional<ByteChunks>> response) {
        return new CouchResponse(response.statusCode(), response.headers(), response.body());
    }

    int status() {
        return status;
    }

    HttpHeaders headers() {
        return headers;
    }

    boolean isSuccess() {
        return status / 100 == 2;
    }

    /** {@return the body of a success} Throws an {@link UnreadableException} if it exceeds a limit. */
    JsonNode json() {
        return Json.read(
                body.orElseThrow(() -> new UnreadableException("The answer is larger than this bridge accepts"))
                        .read());
    }

    /** {@return whether the database exists and does not contain the document} */
    boolean isOfMissingDocument() {
        return status == 404 && Set.of("missing", "deleted").contains(reason());
    }

    boolean isArray() {
        return bodyOfRefusal().isArray();
    }

    String error() {
        return bodyOfRefusal().path("error").asString("");
    }

    String reason() {
        return bodyOfRefusal().path("reason").asString("");
    }

    private JsonNode bodyOfRefusal() {
        try {
            return json();
        } catch (TransientException | UnreadableException notFromCouchDb) {
            return MissingNode.getInstance();
        }
    }

    /**
     * {@return why the server refuses the user; empty if it does not, or gives no reason} CouchDB also answers 401 if a
     * known user lacks a right.
     */
    Optional<LoginThrottle.Refusal> userRefusal() {
        boolean isLock = status == 403 && reason().contains("temporarily locked");
        boolean isUnknown = status == 401 && !"forbidden".equals(error()) && !reason().startsWith("You are not a ");
        return isLock || isUnknown
                ? Optional.of(new LoginThrottle.Refusal(
                        "it answers " + status
                                + reason().replaceAll("^(?=.)", ", ").replaceAll("\\.$", "")
                                + (isLock ? UNLOCKING : ""),
                        isLock))
                : Optional.empty();
    }

    /** {@return why the answer is no success: a transient fault, or a permanent refusal} */
    RuntimeException refusal(String request, Instant now) {
        String said = request + " was answered with " + status + " " + error() + ": " + reason().replaceAll("\\.$", "");
        return switch (status) {
            case 401, 403 ->
                TransientException.slow(said + ". The user lacks a right, or is not configured: correct user and"
                        + " password_file in the bridge's configuration, or the database's _security; the"
                        + " bridge tries again meanwhile");
            case 404 -> new TransientException(said + ". Create the database; the bridge waits for it");
            case 408, 425, 429 -> new TransientException(said, TransientException.Pace.GROWING, retryAfter(now));
            default ->
                status >= 500
                        ? new TransientException(said, TransientException.Pace.GROWING, retryAfter(now))
                        : new CouchException(status, said + advice());
        };
    }

    private String advice() {
        if (status / 100 == 3) {
            return ". It redirects to " + headers.firstValue("location").orElse("nowhere")
                    + ": configure the final address";
        }
        return "illegal_database_name".equals(error()) ? ". Choose another name for the database" : "";
    }

    private Optional<Duration> retryAfter(Instant now) {
        return headers.firstValue("retry-after")
                .flatMap(value -> asDuration(value.trim(), now))
                .map(asked -> asked.compareTo(LONGEST_OBEYED) < 0 ? asked : LONGEST_OBEYED);
    }

    private static Optional<Duration> asDuration(String value, Instant now) {
        try {
            return Optional.of(
                    value.chars().allMatch(Character::isDigit)
                            ? Duration.ofSeconds(Long.parseLong(value))
                            : Duration.between(now, ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME)));
        } catch (NumberFormatException | DateTimeException e) {
            return Optional.empty();
        }
    }
}
