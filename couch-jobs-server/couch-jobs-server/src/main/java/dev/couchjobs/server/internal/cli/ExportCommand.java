package dev.couchjobs.server.internal.cli;

import dev.couchjobs.RawPayload;
import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.http.PayloadPlaces;
import dev.couchjobs.server.internal.http.UrlText;
import dev.couchjobs.server.internal.json.Fields;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes jobs as lines of JSON. */
@Command(
        name = "export",
        description =
                "Writes the jobs of types as lines of JSON, with a cursor behind each page; --after goes on there.")
final class ExportCommand extends ApiCommand {
    private static final int PAGE = 200;
    private static final int READERS = 8;
    private static final PayloadPlaces JOB = new PayloadPlaces(
            false, Map.of("data", PayloadPlaces.WHOLE, "result", PayloadPlaces.WHOLE), Optional.empty());

    @Parameters(arity = "0..*", paramLabel = "TYPE", description = "The types; all if none is given.")
    private List<String> types = List.of();

    @Option(
            names = "--after",
            paramLabel = "CURSOR",
            description = "The last cursor of an export that was interrupted.")
    private @Nullable String after;

    private long jobs;
    private long unreadable;

    @Override
    int run(Session session) {
        List<String> sorted = new ArrayList<>(new TreeSet<>(types.isEmpty() ? ListCommand.names(session) : types));
        Optional<String> place = Optional.empty();
        if (after != null) {
            String type = typeOf(after);
            sorted.removeIf(name -> name.compareTo(type) < 0);
            place = Optional.of(after.substring(after.indexOf('/') + 1)).filter(text -> !text.isEmpty());
        }
        Progress progress = new Progress(shell());
        ExecutorService readers = ServerThreads.pool(READERS);
        try {
            for (int i = 0; i < sorted.size(); i++) {
                String next = i + 1 < sorted.size() ? Address.encode(sorted.get(i + 1)) + "/" : "";
                if (!export(session, readers, sorted.get(i), place, next, progress)) {
                    return Failure.FAILED;
                }
                place = Optional.empty();
            }
        } finally {
            readers.shutdownNow();
        }
        session.output().json(new Fields().put("exported", jobs).node().toString());
        progress.end("exported " + jobs + " jobs"
                + (unreadable > 0 ? "; " + unreadable + " cannot be read: see `couch-jobs doctor`" : ""));
        return unreadable > 0 ? Failure.FAILED : DONE;
    }

    private static String typeOf(String cursor) {
        try {
            return UrlText.ofPath(cursor.substring(0, cursor.indexOf('/')));
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new Failure(Failure.USAGE, "This is no cursor: " + cursor, "Take the last one of the export.");
        }
    }

    /** Writes the jobs of one type. A cursor follows only what is written. */
    private boolean export(
            Session session,
            ExecutorService readers,
            String type,
            Optional<String> from,
            String nextType,
            Progress progress) {
        Address listing = Address.of("/v1/types/{}/jobs", type).with("limit", Optional.of(PAGE));
        Optional<String> place = from;
        do {
            JsonNode page = session.api().get(listing.with("after", place)).json();
            for (String line : read(session, readers, type, page.path("items"))) {
                session.output().json(line);
                jobs++;
            }
            place = Optional.ofNullable(page.get("next")).map(JsonNode::asString);
            String cursor = place.map(next -> Address.encode(type) + "/" + next).orElse(nextType);
            if (!cursor.isEmpty()) {
                session.output().json(new Fields().put("cursor", cursor).node().toString());
            }
            if (session.output().isClosed()) {
                return false;
            }
            if (session.stop().isRequested() && !cursor.isEmpty()) {
                progress.end("interrupted; go on with --after '" + cursor + "'");
                return false;
            }
            progress.tell("exported " + jobs + " jobs, now of " + type);
        } while (place.isPresent());
        return true;
    }

    private List<String> read(Session session, ExecutorService readers, String type, JsonNode items) {
        List<Future<Optional<String>>> reads = new ArrayList<>();
        for (JsonNode item : items) {
            String id = item.path("id").asString();
            reads.add(readers.submit(() -> read(session.api(), type, id)));
        }
        List<String> lines = new ArrayList<>();
        for (Future<Optional<String>> read : reads) {
            try {
                read.get().ifPresent(lines::add);
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof Failure failure)) {
                    throw new IllegalStateException(e.getCause());
                }
                if (failure.code().equals("undecodable-row")) {
                    RootCommand.report(shell(), failure);
                    unreadable++;
                } else {
                    throw failure;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new Failure(Failure.FAILED, "Interrupted.", "Go on behind the last cursor: --after");
            }
        }
        return lines;
    }

    /** {@return the job with what it waits for; empty if it was removed meanwhile} */
    private static Optional<String> read(Api api, String type, String id) {
        ApiReply reply = api.send("GET", Address.of("/v1/types/{}/jobs/{}", type, id), MissingNode.getInstance());
        if (reply.status() == 404) {
            return Optional.empty();
        }
        if (reply.status() != 200) {
            throw api.failure(reply);
        }
        if (reply.json().path("hidden").asBoolean(false)) {
            throw new Failure(
                    Failure.REFUSED,
                    "The caller may not see what jobs of " + type + " contain.",
                    "Export with a token of the role operate.");
        }
        ObjectNode job = (ObjectNode) Json.readWritten(reply.text().getBytes(StandardCharsets.UTF_8), JOB);
        JOB.properties().keySet().forEach(name -> fit(job, name));
        if (reply.json().path("blocked").asBoolean()) {
            addDependencies(api, type, id, job);
        }
        return Optional.of(new String(Json.write(job), StandardCharsets.UTF_8));
    }

    /** Writes a payload that a line would change in Base64, such as JSON that is laid out for readers. */
    private static void fit(ObjectNode job, String name) {
        if (!job.has(name)) {
            return;
        }
        RawPayload payload = Json.payload(job.get(name));
        String text = payload.toString();
        if (!Text.json(text).equals(text) || !text.strip().equals(text)) {
            job.remove(name);
            job.put(name + "MediaType", payload.mediaType());
            job.put(name + "Bytes", Base64.getEncoder().encodeToString(payload.toBytes()));
        }
    }

    private static void addDependencies(Api api, String type, String id, ObjectNode job) {
        Optional<String> place = Optional.empty();
        do {
            JsonNode page = api.get(Address.of("/v1/types/{}/jobs/{}/dependencies", type, id)
                            .with("limit", Optional.of(PAGE))
                            .with("after", place))
                    .json();
            page.path("items").forEach(linked -> job.withArray("after").add(dependency(linked)));
            place = Optional.ofNullable(page.get("next")).map(JsonNode::asString);
        } while (place.isPresent());
    }

    /** {@return what an import takes of a linked job} */
    private static ObjectNode dependency(JsonNode linked) {
        return ((ObjectNode) linked.deepCopy()).retain("type", "id", "ifUnsuccessful");
    }
}
