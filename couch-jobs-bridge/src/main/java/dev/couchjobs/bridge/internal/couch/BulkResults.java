package dev.couchjobs.bridge.internal.couch;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The results of the documents of a {@code _bulk_docs} request, over several attempts. */
final class BulkResults {
    /** The errors of single documents that are faults of the server. */
    private static final Set<String> PASSING = Set.of("internal_server_error", "timeout", "service_unavailable");

    /** How often the server may fail for some documents; a fault for all of them may be the server's own. */
    private static final int MOST_WITH_SOME = 5;

    private static final int MOST_WITH_ALL = 12;

    private final List<ObjectNode> documents;
    private final @Nullable WriteResult[] results;
    private int tries;

    BulkResults(List<ObjectNode> documents) {
        this.documents = documents;
        this.results = new @Nullable WriteResult[documents.size()];
    }

    private synchronized int[] rest() {
        return IntStream.range(0, results.length)
                .filter(i -> results[i] == null)
                .toArray();
    }

    ObjectNode requestForTheRest() {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode docs = body.putArray("docs");
        Arrays.stream(rest()).mapToObj(documents::get).forEach(docs::add);
        return body;
    }

    /** Adds an answer. Throws a transient fault if some documents need another attempt. */
    synchronized void take(JsonNode answer) {
        int[] asked = rest();
        if (answer.size() != asked.length) {
            throw new TransientException(
                    "_bulk_docs of " + asked.length + " documents gave " + answer.size() + " results");
        }
        for (int i = 0; i < asked.length; i++) {
            results[asked[i]] = result(documents.get(asked[i]).path("_id").asString(""), answer.path(i));
        }
        tries++;
        int rest = rest().length;
        if (rest > 0 && tries >= (rest < documents.size() ? MOST_WITH_SOME : MOST_WITH_ALL)) {
            for (int i : rest()) {
                String id = documents.get(i).path("_id").asString("");
                results[i] = new WriteResult.Refused(id, "internal_server_error", "again and again");
            }
        } else if (rest > 0) {
            throw new TransientException("Some documents could not be written: " + answer);
        }
    }

    private static @Nullable WriteResult result(String id, JsonNode row) {
        String error = row.path("error").asString("");
        if (error.isEmpty()) {
            return new WriteResult.Accepted(id, row.path("rev").asString());
        }
        if (PASSING.contains(error)) {
            return null;
        }
        return error.equals("conflict")
                ? new WriteResult.Conflict(id)
                : new WriteResult.Refused(id, error, row.path("reason").asString(""));
    }

    synchronized List<WriteResult> inOrder() {
        return Arrays.stream(results).map(Objects::requireNonNull).toList();
    }
}
