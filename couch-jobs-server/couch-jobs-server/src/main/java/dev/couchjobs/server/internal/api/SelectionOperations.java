package dev.couchjobs.server.internal.api;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobProgress;
import dev.couchjobs.NewJob;
import dev.couchjobs.RawPayload;
import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.selections.SelectionWorker;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** Changes of all jobs of a type that meet a condition. */
public final class SelectionOperations {
    /** What an action needs besides itself. */
    private static final Map<String, String> NEEDED = Map.of("reschedule", "at", "reprioritise", "priority");

    /** The server's own jobs, which no caller can add, claim or see. */
    private final CouchJobs selections;

    public SelectionOperations(CouchJobs selections) {
        this.selections = selections;
    }

    public void bind(Operations operations) {
        operations.write("startSelection", this::start);
        operations.read("getSelection", this::get);
        operations.write("cancelSelection", this::cancel);
    }

    private CompletableFuture<Reply> start(Call call, TransactionContext tx) {
        String needed = NEEDED.get(call.body().get("action").stringValue());
        if (needed != null && !call.body().has(needed)) {
            throw new ProblemException(
                    Problem.of(400, "invalid-body", "The action needs a value.").detail("/" + needed + " is missing."));
        }
        SelectionWorker.check(call.body());
        ObjectNode data =
                ((ObjectNode) call.body().deepCopy()).put("type", call.type().name());
        return selections
                .add(tx, NewJob.of(SelectionWorker.TYPE, Json.payload(data)))
                .thenApply(added ->
                        Reply.json(202, new Fields().put("id", added.jobId()).node()));
    }

    private CompletableFuture<Reply> get(Call call, ReadTransactionContext context) {
        return context.readAsync(tx -> {
            var progress = selections.details().progress(tx, SelectionWorker.TYPE, call.id());
            return find(call, tx).thenCombine(progress, (job, done) -> Reply.ok(json(job, done)));
        });
    }

    private CompletableFuture<Reply> cancel(Call call, TransactionContext context) {
        return context.runAsync(tx -> find(call, tx)
                .thenCompose(job -> Replies.changed(
                        selections.control().cancel(tx, SelectionWorker.TYPE, call.id(), "cancelled by a caller"))));
    }

    /** A caller that may see the jobs of one type does not see selections of another. */
    private CompletableFuture<JobInfo<RawPayload, RawPayload>> find(Call call, ReadTransactionContext tx) {
        return selections
                .getJob(tx, SelectionWorker.TYPE, call.id())
                .thenApply(found -> found.filter(job -> Json.parsed(job.data())
                                .path("type")
                                .asString("")
                                .equals(call.type().name()))
                        .orElseThrow(() -> Replies.notFound("such selection")));
    }

    private static JsonNode json(JobInfo<RawPayload, RawPayload> job, Optional<JobProgress> progress) {
        ObjectNode request = (ObjectNode) Json.parsed(job.data());
        Fields fields = new Fields()
                .put("id", job.id())
                .put("request", request.without("type"))
                .put("state", job.state())
                .maybe("outcome", job.outcome(), outcome -> StringNode.valueOf(Fields.constant(outcome)))
                .text("error", job.error());
        Optional<JsonNode> result = job.result().map(Json::parsed);
        result.ifPresent(done -> fields.put("read", done.get("read")).put("applied", done.get("applied")));
        progress.filter(done -> result.isEmpty()).ifPresent(done -> fields.put("read", done.done()));
        return fields.node();
    }
}
