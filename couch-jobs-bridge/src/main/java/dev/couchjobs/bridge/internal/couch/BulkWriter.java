package dev.couchjobs.bridge.internal.couch;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes documents by {@code _bulk_docs}. A document that the server cannot parse makes it refuse the whole request.
 * The request is then divided in two until that document is alone, so that the others are written.
 */
final class BulkWriter {
    private static final Set<Integer> CONCERNING_DOCUMENTS = Set.of(400, 412, 413, 415);

    private final Transport transport;
    private final Address address;
    private final Retrier retrier;
    private final int batch;

    BulkWriter(Transport transport, Address address, Retrier retrier, int batch) {
        this.transport = transport;
        this.address = address;
        this.retrier = retrier;
        this.batch = batch;
    }

    CompletableFuture<List<WriteResult>> write(List<ObjectNode> documents) {
        return SerialRequests.parts(documents, batch, this::writePart);
    }

    private CompletableFuture<List<WriteResult>> writePart(List<ObjectNode> documents) {
        BulkResults results = new BulkResults(documents);
        return retrier.retryUntilSuccess(() -> transport
                        .answer("POST", address.of("/_bulk_docs"), results.requestForTheRest())
                        .thenApply(this::checked)
                        .thenApply(response -> {
                            if (response.isSuccess() || isOfEach(response)) {
                                results.take(response.json());
                            }
                            return response;
                        }))
                .thenCompose(response -> response.isSuccess() || isOfEach(response)
                        ? CompletableFuture.completedFuture(results.inOrder())
                        : refused(documents, response));
    }

    /** Accepts statuses that concern single documents and not the database. */
    private CouchResponse checked(CouchResponse response) {
        return CONCERNING_DOCUMENTS.contains(response.status()) || isOfEach(response)
                ? response
                : transport.succeeded("POST " + address + "/_bulk_docs", response);
    }

    /**
     * If a part of the database does not answer, the status of the whole is an error, and the body contains the results
     * of the other parts.
     */
    private static boolean isOfEach(CouchResponse response) {
        return response.status() == 500 && response.isArray();
    }

    private CompletableFuture<List<WriteResult>> refused(List<ObjectNode> documents, CouchResponse response) {
        if (documents.size() == 1) {
            String id = documents.get(0).path("_id").asString("");
            // The document refers to an attachment that no longer exists: another client has changed it.
            WriteResult result = response.status() == 412
                    ? new WriteResult.Conflict(id)
                    : new WriteResult.Refused(id, response.error(), response.reason());
            return CompletableFuture.completedFuture(List.of(result));
        }
        return SerialRequests.parts(documents, (documents.size() + 1) / 2, this::writePart);
    }
}
