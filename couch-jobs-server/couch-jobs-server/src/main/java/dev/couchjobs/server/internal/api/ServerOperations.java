package dev.couchjobs.server.internal.api;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.HealthStatus;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.json.JobJson;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** The server itself. */
public final class ServerOperations {
    private final CouchJobs jobs;
    private final CompletableFuture<FDBException> failure;
    private final Reply document;

    /** @param failure completes when the database has stopped for good */
    public ServerOperations(CouchJobs jobs, CompletableFuture<FDBException> failure, String document) {
        this.jobs = jobs;
        this.failure = failure;
        this.document = Reply.of(200, Reply.JSON, document.getBytes(StandardCharsets.UTF_8));
    }

    public void bind(Operations operations) {
        operations.act("getOpenApi", call -> CompletableFuture.completedFuture(document));
        operations.act("getLiveness", call -> CompletableFuture.completedFuture(liveness()));
        operations.act(
                "getHealth",
                call -> jobs.health()
                        .check()
                        .thenApply(health ->
                                Reply.json(health.status() == HealthStatus.DOWN ? 503 : 200, JobJson.health(health))));
    }

    /**
     * Reports whether the engine has stopped for good, which only a new process can mend. It reads nothing from the
     * database: a database that is slow or away is no reason to end this process.
     */
    private Reply liveness() {
        FDBException why = failure.getNow(null);
        return why == null
                ? Reply.ok(new Fields().put("status", "live").node())
                : Reply.json(
                        503,
                        new Fields()
                                .put("status", "stopped")
                                .put("reason", String.valueOf(why.getMessage()))
                                .node());
    }
}
