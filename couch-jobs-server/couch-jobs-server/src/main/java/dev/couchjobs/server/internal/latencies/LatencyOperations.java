package dev.couchjobs.server.internal.latencies;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.server.internal.api.Call;
import dev.couchjobs.server.internal.api.Operations;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import dev.couchjobs.server.internal.json.Fields;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** How long jobs wait and run. */
public final class LatencyOperations {
    private static final int LIMIT = 1_000;

    private final LatencySampler sampler;

    public LatencyOperations(CouchJobs jobs, Database database) {
        sampler = new LatencySampler(jobs, database, ServerEnvironment.clock());
    }

    public void bind(Operations operations) {
        operations.act("listLatencies", this::list);
    }

    private CompletableFuture<Reply> list(Call call) {
        long after = call.number("after").orElse(0L);
        return sampler.behind(after, LIMIT, call::mayRead)
                .thenApply(samples -> Reply.ok(new Fields()
                        .putAll("items", samples, LatencyOperations::json)
                        .put("last", sampler.last())
                        .node()));
    }

    private static JsonNode json(Latency sample) {
        return new Fields()
                .put("number", sample.number())
                .put("at", sample.at())
                .put("type", sample.type())
                .put("kind", sample.kind())
                .put("time", sample.time())
                .node();
    }
}
