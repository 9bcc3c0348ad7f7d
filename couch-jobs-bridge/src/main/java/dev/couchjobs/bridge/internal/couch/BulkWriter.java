package dev.couchjobs.bridge.internal.couch;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes documents by {@code _bulk_docs}. A document that the server cannot even take in makes it refuse the whole
 * request; the request is then halved until that document is alone, so that the others are written.
 */
final class BulkWriter {
    private static final Set<Integer> CONCERNING_DOCUMENTS = Set.of(400, 412, 413, 415);

    private final Transport transport;
    private final Address address;
    private final Retrying retrying;
    private final int batch;

    BulkWriter(Transport transport, Address address, Retrying retrying, int batch) {
        this.transport = transport;
        this.address = address;
        this.retrying = retrying;
        this.batch = batch;
    }

    CompletableFuture<List<Written>> write(List<ObjectNode> documents) {
        return InTurn.parts(documents, batch, this::writePart);
    }

    private CompletableFuture<List<Written>> writePart(List<ObjectNode> documents) {
        BulkResults results = new BulkResults(documents);
        return retrying.untilItPasses(() -> transport
                        .answer("POST", address.of("/_bulk_docs"), results.requestForTheRest())
                        .thenApply(this::checked)
                        .thenApply(answer -> {
                            if (answer.isSuccess() || isOfEach(answer)) {
                                results.take(answer.json());
                            }
                            return answer;
                        }))
                .thenCompose(answer -> answer.isSuccess() || isOfEach(answer)
                        ? CompletableFuture.completedFuture(results.inOrder())
                        : refused(documents, answer));
    }

    /** Lets through what concerns a document rather than the database. */
    private Answer checked(Answer answer) {
        return CONCERNING_DOCUMENTS.contains(answer.status()) || isOfEach(answer)
                ? answer
                : transport.succeeded("POST " + address + "/_bulk_docs", answer);
    }

    /**
     * Where a part of the database does not answer, the whole has a bad status, and the others' results in it all the
     * same.
     */
    private static boolean isOfEach(Answer answer) {
        return answer.status() == 500 && answer.isArray();
    }

    private CompletableFuture<List<Written>> refused(List<ObjectNode> documents, Answer answer) {
        if (documents.size() == 1) {
            String id = documents.get(0).path("_id").asString("");
            // An attachment that it refers to is not there any more: another client has changed the document.
            Written result = answer.status() == 412
                    ? new Written.Conflict(id)
                    : new Written.Refused(id, answer.error(), answer.reason());
            return CompletableFuture.completedFuture(List.of(result));
        }
        return InTurn.parts(documents, (documents.size() + 1) / 2, this::writePart);
    }
}
