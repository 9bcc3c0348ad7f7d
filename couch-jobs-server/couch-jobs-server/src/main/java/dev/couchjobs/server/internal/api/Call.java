package dev.couchjobs.server.internal.api;

import dev.couchjobs.JobType;
import dev.couchjobs.PageRequest;
import dev.couchjobs.RawPayload;
import dev.couchjobs.server.Access;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import dev.couchjobs.server.internal.http.WaitingClient;
import dev.couchjobs.server.internal.json.NewJobs;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * A request that is checked, as an operation gets it.
 *
 * @param access who calls
 * @param path the parameters in the path, decoded
 * @param query the parameters in the query, of their types
 * @param body the body; a missing node if there is none
 * @param headers finds a header by its name
 * @param connection the connection of the caller
 */
public record Call(
        Access access,
        Map<String, String> path,
        Map<String, JsonNode> query,
        JsonNode body,
        Function<String, Optional<String>> headers,
        WaitingClient connection) {
    static final int PAGE_STANDARD = 100;
    private static final Duration WAIT_MAX = Duration.ofSeconds(60);

    public JobType<RawPayload, RawPayload> type() {
        return NewJobs.type(part("type"));
    }

    public String id() {
        return part("id");
    }

    public String name() {
        return part("name");
    }

    /** {@return a parameter in the path, which the document declares} */
    public String part(String parameter) {
        String value = path.get(parameter);
        if (value == null) {
            throw new IllegalStateException("The path has no parameter " + parameter + ".");
        }
        return value;
    }

    public Optional<String> text(String parameter) {
        return value(parameter, JsonNode::stringValue);
    }

    public Optional<Long> number(String parameter) {
        return value(parameter, JsonNode::longValue);
    }

    public Optional<Duration> duration(String parameter) {
        return value(parameter, NewJobs::duration);
    }

    private <T> Optional<T> value(String parameter, Function<JsonNode, T> read) {
        return Optional.ofNullable(query.get(parameter)).map(read);
    }

    /** {@return how many items the caller wants at most} */
    public int limit() {
        return number("limit").map(Math::toIntExact).orElse(PAGE_STANDARD);
    }

    /** {@return until when the caller waits for an item} */
    public Instant waitUntil() {
        Duration wait = duration("wait").orElse(Duration.ZERO);
        return ServerEnvironment.now().plus(wait.compareTo(WAIT_MAX) < 0 ? wait : WAIT_MAX);
    }

    public PageRequest page() {
        PageRequest page = PageRequest.of(limit());
        if (value("newestFirst", JsonNode::booleanValue).orElse(false)) {
            page = page.newestFirst();
        }
        return text("after").map(page::after).orElse(page);
    }

    public Optional<String> header(String name) {
        return headers.apply(name);
    }

    /** {@return whether the caller may read a type} */
    public boolean mayRead(String type) {
        return access.allows(Role.READ, Optional.of(type));
    }

    /** {@return a field of the body as text} */
    public Optional<String> field(String name) {
        return body.has(name) ? Optional.of(body.get(name).stringValue()) : Optional.empty();
    }

    /**
     * Requires a role for a type that is named in the body.
     *
     * @throws ProblemException if the caller does not have it
     */
    public void require(Role role, String type) {
        if (!access.allows(role, Optional.of(type))) {
            throw new ProblemException(Problem.of(403, "forbidden", "The caller may not do this.")
                    .detail("It needs the role " + role.name().toLowerCase(Locale.ROOT) + " for the type " + type
                            + "."));
        }
    }
}
