package dev.couchjobs.server.internal.api;

import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.Batch;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.JobJson;
import dev.couchjobs.server.internal.json.NewJobs;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** Batches. */
public final class BatchOperations {
    private final CouchJobs jobs;

    public BatchOperations(CouchJobs jobs) {
        this.jobs = jobs;
    }

    public void bind(Operations operations) {
        operations.write("openBatch", this::open);
        operations.read(
                "getBatch",
                (call, tx) -> Replies.found(jobs.batches().get(tx, call.name()), JobJson::batch, "such batch"));
        operations.write("sealBatch", (call, tx) -> Replies.ok(jobs.batches().seal(tx, call.name()), JobJson::batch));
        operations.act(
                "cancelBatch",
                call -> Replies.count(
                        jobs.batches().cancel(call.name(), call.field("reason").orElse(""))));
        operations.write(
                "removeBatch", (call, tx) -> Replies.changed(jobs.batches().remove(tx, call.name())));
    }

    private CompletableFuture<Reply> open(Call call, TransactionContext tx) {
        JsonNode body = call.body();
        Batch batch = Batch.of(call.name());
        if (body.has("closing")) {
            batch = batch.closing(NewJobs.withType(call.access(), body.get("closing")));
        }
        if (body.path("closingAtFirstFailure").asBoolean(false)) {
            batch = batch.closingAtFirstFailure();
        }
        return Replies.ok(jobs.batches().open(tx, batch), JobJson::batch);
    }
}
