package dev.couchjobs.server.internal.api;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.HealthStatus;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.JobJson;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** The server itself. */
public final class ServerOperations {
    private final CouchJobs jobs;
    private final JsonNode document;

    public ServerOperations(CouchJobs jobs, JsonNode document) {
        this.jobs = jobs;
        this.document = document;
    }

    public void bind(Operations operations) {
        operations.act("getOpenApi", call -> CompletableFuture.completedFuture(Reply.ok(document)));
        operations.act(
                "getHealth",
                call -> jobs.health()
                        .check()
                        .thenApply(health ->
                                Reply.json(health.status() == HealthStatus.DOWN ? 503 : 200, JobJson.health(health))));
    }
}
