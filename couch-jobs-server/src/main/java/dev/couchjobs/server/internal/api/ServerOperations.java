package dev.couchjobs.server.internal.api;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.HealthStatus;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.JobJson;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** The server itself. */
public final class ServerOperations {
    private final CouchJobs jobs;
    private final Reply document;

    public ServerOperations(CouchJobs jobs, String document) {
        this.jobs = jobs;
        this.document = Reply.of(200, Reply.JSON, document.getBytes(StandardCharsets.UTF_8));
    }

    public void bind(Operations operations) {
        operations.act("getOpenApi", call -> CompletableFuture.completedFuture(document));
        operations.act(
                "getHealth",
                call -> jobs.health()
                        .check()
                        .thenApply(health ->
                                Reply.json(health.status() == HealthStatus.DOWN ? 503 : 200, JobJson.health(health))));
    }
}
