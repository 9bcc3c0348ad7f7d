package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.http.Digests;
import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.http.PayloadPlaces;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.json.Fields;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
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

/**
 * Adds jobs from lines of JSON. Each is added only if there is no job of its id; a line without an id gets one made of
 * its text, so that the same file again adds nothing.
 */
@Command(
        name = "import",
        description =
                "Adds jobs from lines of JSON, as export writes them or POST /v1/jobs takes them. It can be repeated: a"
                        + " job that is there stays as it is.")
final class ImportCommand extends ApiCommand {
    /** A character for each byte, so that a line that is no UTF-8 is refused and not replaced. */
    private static final Charset BYTES = StandardCharsets.ISO_8859_1;

    private static final int LINES_MAX = 100;
    private static final int CHARACTERS_MAX = 1_000_000;
    private static final int TRIES = 5;
    private static final int ID_BYTES = 16;
    private static final PayloadPlaces JOB =
            new PayloadPlaces(false, Map.of("data", PayloadPlaces.WHOLE), Optional.empty());

    /** What an exported job has in common with a new one. */
    private static final List<String> KEPT = List.of(
            "type",
            "id",
            "data",
            "dataBytes",
            "dataMediaType",
            "priority",
            "limitKey",
            "turnKey",
            "retry",
            "sequence",
            "startBefore",
            "batch",
            "tags",
            "headers",
            "after");

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "FILE",
            description = "The file; - or none is standard input.")
    private String file = "-";

    @Option(names = "--type", paramLabel = "TYPE", description = "The type of lines that have none.")
    private @Nullable String type;

    private final Map<String, Integer> sameLines = new HashMap<>();
    private final List<Line> waiting = new ArrayList<>();
    private long characters;
    private long added;
    private long present;
    private long ended;
    private long failed;

    /** A line, as a new job. */
    private record Line(long number, ObjectNode job) {}

    @Override
    boolean makesDirectory() {
        return true;
    }

    @Override
    int run(Session session) {
        Progress progress = new Progress(shell());
        boolean isComplete;
        try (InputStream in = open();
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, BYTES))) {
            isComplete = readAll(session, lines, progress);
        } catch (IOException e) {
            throw new Failure(Failure.FAILED, "The file cannot be read: " + e.getMessage(), again());
        } finally {
            progress.end(sum());
        }
        if (session.output().isJson()) {
            session.output()
                    .json(new Fields()
                            .put("added", added)
                            .put("present", present)
                            .put("ended", ended)
                            .put("failed", failed)
                            .node()
                            .toString());
        }
        if (!isComplete) {
            session.output().note(again());
        }
        return isComplete && failed == 0 ? DONE : Failure.FAILED;
    }

    private InputStream open() throws IOException {
        try {
            return file.equals("-") ? shell().in() : Files.newInputStream(Path.of(file));
        } catch (NoSuchFileException e) {
            throw new Failure(Failure.NOTHING, "There is no file " + file + ".", "Check the path.");
        }
    }

    private String sum() {
        return "added " + added + " jobs; " + present + " were there"
                + (ended > 0 ? "; " + ended + " had ended and are left out" : "")
                + (failed > 0 ? "; " + failed + " cannot be added" : "");
    }

    private static String again() {
        return "Repeat the command to go on: what is there is not added again.";
    }

    private boolean readAll(Session session, BufferedReader lines, Progress progress) throws IOException {
        List<Line> batch = new ArrayList<>();
        long number = 0;
        for (String text = session.stop().line(lines);
                text != null;
                text = session.stop().line(lines)) {
            number++;
            if (session.stop().isRequested()) {
                return false;
            }
            parse(number, text).ifPresent(batch::add);
            characters += text.length();
            if (batch.size() >= LINES_MAX || characters >= CHARACTERS_MAX) {
                send(session, batch);
                progress.tell("line " + number + ": " + sum());
            }
        }
        send(session, batch);
        sendWaiting(session);
        return true;
    }

    /** {@return the job of a line; empty if the line has none, or cannot be understood} */
    private Optional<Line> parse(long number, String text) {
        if (text.isBlank()) {
            return Optional.empty();
        }
        JsonNode line;
        try {
            line = Json.read(text.getBytes(BYTES), JOB);
        } catch (ProblemException e) {
            boolean isJson = e.problem().code().equals("payload");
            return refuse(
                    number,
                    (isJson ? "its data cannot be stored: " : "it is not JSON: ")
                            + e.problem().detail());
        }
        if (!(line instanceof ObjectNode given)) {
            return refuse(number, "it is no object");
        }
        if (!given.has("data") && !given.has("dataBytes")) {
            return given.has("cursor") || given.has("exported") ? Optional.empty() : refuse(number, "it has no data");
        }
        if (given.path("state").asString("").equals("finished")) {
            ended++;
            return Optional.empty();
        }
        ObjectNode job = given.has("state") ? ofExport(given) : given.deepCopy();
        if (!job.has("type")) {
            if (type == null) {
                return refuse(number, "it has no type: give one with --type");
            }
            job.put("type", type);
        }
        if (!job.has("id")) {
            job.put("id", idOf(text));
        }
        if (!job.has("onlyIf")) {
            job.put("onlyIf", "absent");
        }
        return Optional.of(new Line(number, job));
    }

    private Optional<Line> refuse(long number, String why) {
        failed++;
        shell().err().println(Text.plain("line " + number + ": " + why));
        return Optional.empty();
    }

    private static ObjectNode ofExport(ObjectNode exported) {
        ObjectNode job = JsonNodeFactory.instance.objectNode();
        for (String name : KEPT) {
            if (exported.has(name)) {
                job.set(name, exported.get(name));
            }
        }
        if (exported.path("passesFailure").asBoolean()) {
            job.put("passesFailure", true);
        }
        if (exported.has("scheduledTime")) {
            job.set("at", exported.get("scheduledTime"));
        }
        if (exported.has("uniqueKey")) {
            job.withObject("unique").set("key", exported.get("uniqueKey"));
        } else if (exported.path("uniqueByData").asBoolean()) {
            job.withObject("unique");
        }
        return job;
    }

    /** Lines that are the same are as many jobs. */
    private String idOf(String text) {
        String name = "import-" + Digests.sha256Hex(text.getBytes(BYTES), ID_BYTES);
        int count = sameLines.merge(name, 1, Integer::sum);
        return count == 1 ? name : name + "-" + count;
    }

    /** Adds jobs in one transaction; if the server refuses it, each in one of its own, to find those that are wrong. */
    private void send(Session session, List<Line> batch) {
        characters = 0;
        if (batch.isEmpty()) {
            return;
        }
        Optional<Failure> failure = add(session, batch);
        if (failure.isPresent()) {
            for (Line line : batch) {
                Optional<Failure> own = batch.size() == 1 ? failure : add(session, List.of(line));
                own.ifPresent(why -> later(line, why));
            }
        }
        batch.clear();
    }

    private void later(Line line, Failure why) {
        if (why.code().equals("dependency-not-found")) {
            waiting.add(line);
        } else {
            refuse(line.number(), why.title() + " " + String.join(" ", why.details()));
        }
    }

    /** Adds those whose dependencies stood in later lines. */
    private void sendWaiting(Session session) {
        boolean goesOn = true;
        while (goesOn && !waiting.isEmpty()) {
            List<Line> lines = List.copyOf(waiting);
            waiting.clear();
            for (Line line : lines) {
                add(session, List.of(line)).ifPresent(why -> later(line, why));
            }
            goesOn = waiting.size() < lines.size();
        }
        waiting.forEach(line -> refuse(line.number(), "a job that it waits for is not there"));
    }

    private Optional<Failure> add(Session session, List<Line> lines) {
        JsonNode body = new Fields().putAll("jobs", lines, Line::job).node();
        for (int attempt = 1; ; attempt++) {
            ApiReply reply = session.api().send("POST", Address.of("/v1/jobs"), body);
            if (reply.status() == 200) {
                for (JsonNode item : reply.json().path("items")) {
                    boolean isUnchanged = item.path("change").asString("").equals("unchanged");
                    added += isUnchanged ? 0 : 1;
                    present += isUnchanged ? 1 : 0;
                }
                return Optional.empty();
            }
            boolean isRefused = reply.status() < 500 && reply.status() != 401 && reply.status() != 403;
            if (isRefused) {
                return Optional.of(session.api().failure(reply));
            }
            if (reply.status() != 503 || attempt == TRIES || session.stop().await(Duration.ofSeconds(attempt))) {
                throw session.api().failure(reply);
            }
        }
    }
}
