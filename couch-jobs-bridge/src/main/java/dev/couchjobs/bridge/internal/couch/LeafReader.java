package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.bridge.internal.OneLine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads documents with their leaves. {@code _all_docs} returns the winning versions and the names of conflicting ones;
 * for most documents that is all. {@code _bulk_get} returns the bodies of conflicts and deletions. The size of
 * documents is not known before: an answer that exceeds the limit is cancelled, and requested in smaller parts.
 */
final class LeafReader {
    /** The size limit of an answer with more than one document. */
    private static final int LARGEST_OF_SEVERAL = 4 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(HttpCouchDatabase.class);
    private static final List<String> ADDED_BY_COUCHDB =
            List.of("_conflicts", "_deleted_conflicts", "_revisions", "_revs_info", "_local_seq");

    private final Transport transport;
    private final Address address;
    private final Retrier retrier;
    private final int batch;
    /** The number of documents that have fitted into recent answers. */
    private final AtomicInteger pace;

    LeafReader(Transport transport, Address address, Retrier retrier, int batch) {
        this.transport = transport;
        this.address = address;
        this.retrier = retrier;
        this.batch = batch;
        this.pace = new AtomicInteger(batch);
    }

    /** A leaf by name, with its body if it has been read. */
    private record Known(String id, String revision, boolean isDeleted, Optional<ObjectNode> body) {
        Key key() {
            return new Key(id, revision);
        }
    }

    private record Key(String id, String revision) {}

    private record Shown(String id, List<Known> leaves) {}

    /** {@return the first of the documents: as many as fit into one answer, and at least one} */
    CompletableFuture<List<StoredDocument>> readSome(List<String> ids) {
        return attempt(ids.subList(0, Math.min(pace.get(), ids.size())));
    }

    /**
     * Reads documents, or fewer if the answer is too large. A document that exceeds the limit alone is read as empty.
     */
    private CompletableFuture<List<StoredDocument>> attempt(List<String> ids) {
        if (ids.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        boolean isAlone = ids.size() == 1;
        return readPart(ids, isAlone ? Transport.LARGEST_ANSWER : LARGEST_OF_SEVERAL)
                .thenApply(read -> {
                    pace.updateAndGet(now -> ids.size() < now ? now : Math.min(batch, now * 2));
                    return read;
                })
                .exceptionallyCompose(thrown -> {
                    if (!isUnreadable(thrown)) {
                        return CompletableFuture.failedFuture(thrown);
                    }
                    pace.set(Math.max(1, ids.size() / 2));
                    return isAlone ? bare(ids) : attempt(ids.subList(0, ids.size() / 2));
                });
    }

    private static boolean isUnreadable(Throwable thrown) {
        return thrown instanceof UnreadableException || thrown.getCause() instanceof UnreadableException;
    }

    private CompletableFuture<List<StoredDocument>> readPart(List<String> ids, int most) {
        return winners(ids, "include_docs=true&conflicts=true", most).thenCompose(shown -> {
            List<Known> bodiless = shown.stream()
                    .flatMap(document -> document.leaves().stream())
                    .filter(leaf -> leaf.body().isEmpty())
                    .toList();
            return (ids.size() == 1 ? readBodies(bodiless) : bodies(bodiless, most))
                    .thenApply(found -> joined(shown, found));
        });
    }

    /** {@return a document that cannot be read, without a body} */
    private CompletableFuture<List<StoredDocument>> bare(List<String> ids) {
        LOG.warn("Document {} is too large or too deep to be read, and is treated as empty", OneLine.of(ids.get(0)));
        return winners(ids, "include_docs=false", Transport.LARGEST_ANSWER)
                .thenApply(shown -> shown.stream()
                        .map(document -> new StoredDocument(
                                document.id(),
                                document.leaves().stream().map(LeafReader::bare).toList()))
                        .toList());
    }

    private static Leaf bare(Known known) {
        ObjectNode body =
                JsonNodeFactory.instance.objectNode().put("_id", known.id()).put("_rev", known.revision());
        return new Leaf(known.revision(), known.isDeleted(), known.isDeleted() ? body.put("_deleted", true) : body);
    }

    private CompletableFuture<List<Shown>> winners(List<String> ids, String what, int most) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode keys = body.putArray("keys");
        ids.forEach(keys::add);
        return retrier.retryUntilSuccess(() -> transport
                .success("POST", address.of("/_all_docs?" + what), body, most)
                .thenApply(response -> shown(ids, response.json().path("rows"))));
    }

    private static List<Shown> shown(List<String> ids, JsonNode rows) {
        if (rows.size() != ids.size()) {
            throw new TransientException(
                    "_all_docs was asked for " + ids.size() + " keys and gave " + rows.size() + " rows");
        }
        List<Shown> shown = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            shown.add(shown(ids.get(i), rows.path(i)));
        }
        return shown;
    }

    private static Shown shown(String id, JsonNode row) {
        String winner = row.path("value").path("rev").asString("");
        if (winner.isEmpty()) {
            return missingOrFault(id, row);
        }
        if (row.path("doc") instanceof ObjectNode document) {
            Stream<Known> conflicts = document.path("_conflicts")
                    .valueStream()
                    .map(revision -> new Known(id, revision.asString(), false, Optional.empty()));
            Known winning = new Known(id, winner, false, Optional.of(document));
            return new Shown(id, Stream.concat(Stream.of(winning), conflicts).toList());
        }
        // A deletion wins only over other deletions.
        boolean isDeleted = row.path("value").path("deleted").asBoolean(false);
        return new Shown(id, List.of(new Known(id, winner, isDeleted, Optional.empty())));
    }

    private static Shown missingOrFault(String id, JsonNode row) {
        String error = row.path("error").asString("");
        if (!error.equals("not_found")) {
            throw new TransientException("_all_docs could not read the document " + id + ": " + error);
        }
        return new Shown(id, List.of());
    }

    /** Reads bodies. Of a document with too many conflicts it reads some; the others follow when these are resolved. */
    private CompletableFuture<List<Leaf>> readBodies(List<Known> wanted) {
        return bodies(wanted, Transport.LARGEST_ANSWER).exceptionallyCompose(thrown -> {
            if (!isUnreadable(thrown)) {
                return CompletableFuture.failedFuture(thrown);
            }
            return wanted.size() == 1
                    ? CompletableFuture.completedFuture(List.of(bare(wanted.get(0))))
                    : readBodies(wanted.subList(0, wanted.size() / 2));
        });
    }

    private CompletableFuture<List<Leaf>> bodies(List<Known> wanted, int most) {
        if (wanted.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode documents = body.putArray("docs");
        wanted.forEach(leaf -> documents.addObject().put("id", leaf.id()).put("rev", leaf.revision()));
        return retrier.retryUntilSuccess(() -> transport
                .success("POST", address.of("/_bulk_get"), body, most)
                .thenApply(response -> response.json()
                        .path("results")
                        .valueStream()
                        .flatMap(result -> result.path("docs").valueStream())
                        .flatMap(LeafReader::found)
                        .toList()));
    }

    /** A missing version was resolved meanwhile; any other error may pass. */
    private static Stream<Leaf> found(JsonNode version) {
        if (version.path("ok") instanceof ObjectNode body) {
            return Stream.of(leaf(body));
        }
        JsonNode fault = version.path("error");
        String error = fault.path("error").asString(fault.asString(""));
        if (!error.equals("not_found")) {
            throw new TransientException("_bulk_get could not read a version: " + version);
        }
        return Stream.empty();
    }

    private static List<StoredDocument> joined(List<Shown> shown, List<Leaf> bodies) {
        Map<Key, Leaf> byKey = new HashMap<>();
        bodies.forEach(leaf -> byKey.put(new Key(leaf.body().path("_id").asString(), leaf.revision()), leaf));
        return shown.stream()
                .map(document -> new StoredDocument(
                        document.id(),
                        document.leaves().stream()
                                .flatMap(leaf -> leaf(leaf, byKey).stream())
                                .toList()))
                .toList();
    }

    /** A conflict without a body was resolved meanwhile, and is no longer a leaf. */
    private static Optional<Leaf> leaf(Known known, Map<Key, Leaf> bodies) {
        if (known.body().isPresent()) {
            return known.body().map(LeafReader::leaf);
        }
        Optional<Leaf> found = Optional.ofNullable(bodies.get(known.key()));
        return known.isDeleted() ? found.or(() -> Optional.of(tombstone(known))) : found;
    }

    private static Leaf leaf(ObjectNode document) {
        ObjectNode body = document.without(ADDED_BY_COUCHDB);
        return new Leaf(
                document.path("_rev").asString(), document.path("_deleted").asBoolean(false), body);
    }

    private static Leaf tombstone(Known known) {
        ObjectNode body = JsonNodeFactory.instance
                .objectNode()
                .put("_id", known.id())
                .put("_rev", known.revision())
                .put("_deleted", true);
        return new Leaf(known.revision(), true, body);
    }
}
