package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.http.PayloadPlaces;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Adds a job. */
@Command(name = "add", description = "Adds a job. The status is 3 if there was such a job and it stays as it was.")
final class AddCommand extends ApiCommand {
    @Parameters(index = "0", paramLabel = "TYPE", description = "The type of the job.")
    private String type = "";

    @Parameters(index = "1", paramLabel = "DATA", description = "Its data in JSON; - reads it from standard input.")
    private String data = "";

    @Option(names = "--id", paramLabel = "ID", description = "Its id; otherwise the library makes one.")
    private @Nullable String id;

    @Option(names = "--at", paramLabel = "TIME", description = "When it may run: 2027-01-31T08:00:00Z.")
    private @Nullable Instant at;

    @Option(names = "--in", paramLabel = "DURATION", description = "In which time it may run: 10m.")
    private @Nullable Duration delay;

    @Option(names = "--priority", paramLabel = "N", description = "The highest runs first.")
    private @Nullable Integer priority;

    @Option(names = "--limit-key", paramLabel = "KEY", description = "Its limit key.")
    private @Nullable String limitKey;

    @Option(names = "--sequence", paramLabel = "NAME", description = "Its sequence.")
    private @Nullable String sequence;

    @Option(names = "--batch", paramLabel = "NAME", description = "Its batch.")
    private @Nullable String batch;

    @Option(names = "--tag", paramLabel = "TAG", description = "A tag; may be repeated.")
    private List<String> tags = List.of();

    @Option(names = "--header", paramLabel = "NAME=TEXT", description = "A header; may be repeated.")
    private Map<String, String> headers = Map.of();

    @Option(
            names = "--fields",
            paramLabel = "JSON",
            description = "Other fields, as POST /v1/types/{type}/jobs takes them: '{\"turnKey\": \"a\"}'.")
    private @Nullable String fields;

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            arity = "0..1",
            fallbackValue = ShowCommand.WAIT_STANDARD,
            description = "Waits for its end, and shows the job. Without a value: ${FALLBACK-VALUE}.")
    private @Nullable Duration wait;

    @Override
    boolean makesDirectory() {
        return true;
    }

    @Override
    int run(Session session) {
        ApiReply added = session.api().post(Address.of("/v1/types/{}/jobs", type), body());
        String jobId = added.json().path("id").asString();
        if (wait != null) {
            return ShowCommand.await(session, type, jobId, wait);
        }
        String change = added.json().path("change").asString();
        if (session.output().isJson()) {
            session.output().json(added.text());
        } else {
            session.output().line(change.replace('_', ' ') + " " + type + " " + jobId + ofData(added));
        }
        return change.equals("unchanged") ? Failure.NOTHING : DONE;
    }

    private static String ofData(ApiReply added) {
        return switch (added.json().path("givenData").asString("")) {
            case "discarded" -> "; the job keeps the data that it had";
            case "next_run" -> "; its next run has this data";
            default -> "";
        };
    }

    private ObjectNode body() {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (fields != null) {
            JsonNode given = Arguments.json("--fields", fields, PayloadPlaces.NONE);
            if (!(given instanceof ObjectNode object)) {
                throw new Failure(Failure.USAGE, "--fields is no object.", "Write '{\"turnKey\": \"a\"}'.");
            }
            body.setAll(object);
        }
        body.set(
                "data",
                Arguments.json(
                        "The data",
                        data.equals("-") ? standardInput() : data.getBytes(StandardCharsets.UTF_8),
                        PayloadPlaces.WHOLE));
        text(body, "id", id);
        text(body, "limitKey", limitKey);
        text(body, "sequence", sequence);
        text(body, "batch", batch);
        Optional.ofNullable(delay)
                .map(time -> ServerEnvironment.now().plus(time))
                .or(() -> Optional.ofNullable(at))
                .ifPresent(time -> body.put("at", time.toString()));
        Optional.ofNullable(priority).ifPresent(number -> body.put("priority", number));
        tags.forEach(tag -> body.withArray("tags").add(tag));
        headers.forEach((name, value) -> body.withObject("headers").put(name, value));
        return body;
    }

    private static void text(ObjectNode body, String name, @Nullable String value) {
        if (value != null) {
            body.put(name, value);
        }
    }

    private byte[] standardInput() {
        try {
            return shell().in().readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
