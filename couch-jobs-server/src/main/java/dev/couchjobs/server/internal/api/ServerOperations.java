package dev.couchjobs.server.internal.api;

import dev.couchjobs.server.internal.http.Reply;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** The server itself. */
public final class ServerOperations {
    private final JsonNode document;

    public ServerOperations(JsonNode document) {
        this.document = document;
    }

    public void bind(Operations operations) {
        operations.act("getOpenApi", call -> CompletableFuture.completedFuture(Reply.ok(document)));
    }
}
