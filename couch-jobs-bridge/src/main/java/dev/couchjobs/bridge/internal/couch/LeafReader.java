package dev.couchjobs.bridge.internal.couch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads documents with their leaves. {@code _all_docs} gives the winning versions and names the conflicting ones; most
 * documents have none, and one request is all. The bodies of conflicts and of deletions come by {@code _bulk_get}.
 */
final class LeafReader {
    private static final List<String> ADDED_BY_COUCHDB =
            List.of("_conflicts", "_deleted_conflicts", "_revisions", "_revs_info", "_local_seq");

    private final Transport transport;
    private final Address address;
    private final Retrying retrying;
    private final int batch;

    LeafReader(Transport transport, Address address, Retrying retrying, int batch) {
        this.transport = transport;
        this.address = address;
        this.retrying = retrying;
        this.batch = batch;
    }

    /** A leaf by its name, with its body if that is known already. */
    private record Known(String id, String revision, boolean isDeleted, Optional<ObjectNode> body) {
        Key key() {
            return new Key(id, revision);
        }
    }

    private record Key(String id, String revision) {}

    private record Shown(String id, List<Known> leaves) {}

    CompletableFuture<List<StoredDocument>> read(List<String> ids) {
        return InTurn.parts(ids, batch, this::readPart);
    }

    private CompletableFuture<List<StoredDocument>> readPart(List<String> ids) {
        return winners(ids).thenCompose(shown -> {
            List<Known> bodiless = shown.stream()
                    .flatMap(document -> document.leaves().stream())
                    .filter(leaf -> leaf.body().isEmpty())
                    .toList();
            return InTurn.parts(bodiless, batch, this::bodies).thenApply(found -> joined(shown, found));
        });
    }

    private CompletableFuture<List<Shown>> winners(List<String> ids) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode keys = body.putArray("keys");
        ids.forEach(keys::add);
        return retrying.untilItPasses(() -> transport
                .success("POST", address.of("/_all_docs?include_docs=true&conflicts=true"), body)
                .thenApply(answer -> shown(ids, answer.json().path("rows"))));
    }

    private static List<Shown> shown(List<String> ids, JsonNode rows) {
        if (rows.size() != ids.size()) {
            throw new PassingFault("_all_docs was asked for " + ids.size() + " keys and gave " + rows.size() + " rows");
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
        // A deletion wins only over deletions.
        return new Shown(id, List.of(new Known(id, winner, true, Optional.empty())));
    }

    private static Shown missingOrFault(String id, JsonNode row) {
        String error = row.path("error").asString("");
        if (!error.equals("not_found")) {
            throw new PassingFault("_all_docs could not read the document " + id + ": " + error);
        }
        return new Shown(id, List.of());
    }

    private CompletableFuture<List<Leaf>> bodies(List<Known> wanted) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode documents = body.putArray("docs");
        wanted.forEach(leaf -> documents.addObject().put("id", leaf.id()).put("rev", leaf.revision()));
        return retrying.untilItPasses(() -> transport
                .success("POST", address.of("/_bulk_get"), body)
                .thenApply(answer -> answer.json()
                        .path("results")
                        .valueStream()
                        .flatMap(result -> result.path("docs").valueStream())
                        .map(version -> version.path("ok"))
                        .filter(JsonNode::isObject)
                        .map(found -> leaf((ObjectNode) found))
                        .toList()));
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

    /** A conflict without a body has been resolved meanwhile: it is no leaf any more. */
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
