package dev.couchjobs.bridge.acceptance;

import dev.couchjobs.bridge.internal.couch.DocumentChange;
import dev.couchjobs.bridge.internal.couch.HttpCouchDatabase;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import dev.couchjobs.bridge.testing.TestClient;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A person with one database, who writes documents and follows their changes. */
final class DocumentClient implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int PATIENCE_WITH_A_READ_S = 10;
    private static final int READ = 200;
    /** How many characters of a document a failure shows. */
    private static final int MOST_SAID = 2_000;

    private final HttpCouchDatabase database;
    private final Map<String, StoredDocument> seen = new HashMap<>();

    /**
     * Connects to a database.
     *
     * @param address the address, with name and password if they are required
     */
    DocumentClient(URI address) {
        database = new HttpCouchDatabase(
                TestClient.settings(address).withPauses(Duration.ofMillis(20), Duration.ofMillis(200)));
        await(database.ensureDatabase());
        database.follow(null, this::changed);
    }

    private CompletableFuture<Void> changed(List<DocumentChange> changes, JsonNode position) {
        List<CompletableFuture<Void>> reads = new ArrayList<>();
        for (int from = 0; from < changes.size(); from += READ) {
            List<String> ids = changes.subList(from, Math.min(from + READ, changes.size())).stream()
                    .map(DocumentChange::id)
                    .toList();
            reads.add(database.read(ids).thenAccept(this::show));
        }
        return CompletableFuture.allOf(reads.toArray(CompletableFuture<?>[]::new));
    }

    private synchronized void show(List<StoredDocument> documents) {
        documents.forEach(document -> seen.put(document.id(), document));
        notifyAll();
    }

    static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** {@return a document from JSON with apostrophes in place of quotation marks} */
    static ObjectNode json(String text) {
        return (ObjectNode) JsonMapper.shared().readTree(text.replace('\'', '"'));
    }

    /** Writes a new document. */
    void put(String id, String json) {
        putAll(List.of(json(json).put("_id", id)));
    }

    /** Writes new documents in one request. */
    void putAll(List<ObjectNode> documents) {
        await(database.write(documents)).forEach(result -> {
            if (!(result instanceof WriteResult.Accepted)) {
                throw new AssertionError("A document was not taken: " + result);
            }
        });
    }

    /** Changes a document, and repeats this after conflicts. */
    void edit(String id, UnaryOperator<ObjectNode> edit) {
        WriteResult result;
        do {
            ObjectNode body = read(id).current().orElseThrow().body().deepCopy();
            result = await(database.write(List.of(edit.apply(body)))).get(0);
        } while (result instanceof WriteResult.Conflict);
        if (!(result instanceof WriteResult.Accepted)) {
            throw new AssertionError("An edit was not taken: " + result);
        }
    }

    /** Deletes a document. */
    void delete(String id) {
        edit(
                id,
                body -> json("{'_deleted': true}")
                        .put("_id", id)
                        .put("_rev", body.path("_rev").asString()));
    }

    /** Adds an attachment to a document, and repeats this after conflicts. */
    void attach(String id, String name, String text) {
        String data = Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
        edit(id, document -> {
            ObjectNode attachments = document.path("_attachments") instanceof ObjectNode there
                    ? there
                    : document.putObject("_attachments");
            attachments.putObject(name).put("content_type", "text/plain").put("data", data);
            return document;
        });
    }

    /** {@return the present document with all its leaves} */
    StoredDocument read(String id) {
        return await(database.read(List.of(id))).get(0);
    }

    /** {@return the number of the document's revision in its history} */
    long generation(String id) {
        return read(id).leaves().get(0).generation();
    }

    /** {@return the document, as soon as it meets a condition} */
    ObjectNode await(String id, Predicate<ObjectNode> condition) {
        return awaitStored(id, stored -> body(stored).filter(condition).isPresent())
                .current()
                .orElseThrow()
                .body();
    }

    /** {@return the document, as soon as its job has ended} */
    ObjectNode awaitEnd(String id) {
        return await(
                id,
                body -> !body.path("job_status").isMissingNode()
                        && !body.path("job_status").isNull());
    }

    /** {@return the document with its leaves, as soon as they meet a condition} */
    synchronized StoredDocument awaitStored(String id, Predicate<StoredDocument> condition) {
        awaitAll(() -> Optional.ofNullable(seen.get(id)).filter(condition).isPresent(), id);
        return Optional.ofNullable(seen.get(id)).orElseThrow();
    }

    /** Waits until so many documents meet a condition. */
    synchronized void awaitCount(int count, Predicate<ObjectNode> condition) {
        awaitAll(() -> count(condition) >= count, count + " documents");
    }

    /** {@return how many documents meet a condition} */
    synchronized int count(Predicate<ObjectNode> condition) {
        return (int) seen.values().stream()
                .filter(stored -> body(stored).filter(condition).isPresent())
                .count();
    }

    private static Optional<ObjectNode> body(StoredDocument stored) {
        return stored.current().map(Leaf::body);
    }

    /** A condition on the documents in the feed. */
    private interface Condition {
        boolean holds();
    }

    private synchronized void awaitAll(Condition condition, String what) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.holds()) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError("Waited in vain for " + what + ", which is now "
                        + cut(Optional.ofNullable(seen.get(what))
                                .map(Object::toString)
                                .orElse("not there"))
                        + "\nThe server says: " + cut(asked(what)) + "\n" + threads());
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("Interrupted while waiting for " + what, e);
            }
        }
    }

    private static String cut(String text) {
        return text.substring(0, Math.min(text.length(), MOST_SAID));
    }

    /** The feed may be behind. */
    private String asked(String id) {
        try {
            return database.read(List.of(id))
                    .get(PATIENCE_WITH_A_READ_S, TimeUnit.SECONDS)
                    .get(0)
                    .toString();
        } catch (ExecutionException | TimeoutException e) {
            return e.toString();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return e.toString();
        }
    }

    private static String threads() {
        StringBuilder all = new StringBuilder("Threads:");
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
            all.append('\n').append(thread);
        }
        return all.toString();
    }

    @Override
    public void close() {
        database.close();
    }
}
