package dev.couchjobs.server.internal.work;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.RawPayload;
import dev.couchjobs.RemoteWorker;
import dev.couchjobs.server.Access;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import dev.couchjobs.server.internal.http.WaitingClient;
import dev.couchjobs.server.internal.json.NewJobs;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** What workers in any language call, by the bodies of their requests. */
public final class WorkProtocol implements AutoCloseable {
    private static final Duration WAIT_MAX = Duration.ofSeconds(50);

    private final CouchJobs jobs;
    private final Registrations registrations;
    private final ClaimRows rows;
    private final ClaimCalls claimCalls;
    private final Heartbeats heartbeats;
    private final Reports reports;

    public WorkProtocol(CouchJobs jobs, Database database, Subspace root) {
        this.jobs = jobs;
        InstantSource clock = ServerEnvironment.clock();
        registrations = new Registrations(jobs, clock);
        rows = new ClaimRows(root, clock);
        claimCalls = new ClaimCalls(jobs, database, rows, registrations);
        heartbeats = new Heartbeats(jobs, database, registrations);
        reports = new Reports(jobs);
    }

    public CompletableFuture<Reply> claim(JsonNode body, WaitingClient connection) {
        RemoteWorker worker = WorkJson.worker(body);
        return claimCalls.run(
                new ClaimCalls.Request(
                        worker,
                        body.get("requestId").stringValue(),
                        body.path("repeated").asBoolean(false),
                        body.get("max").intValue(),
                        longest(NewJobs.duration(body.get("wait")))),
                connection);
    }

    private static Duration longest(Duration wait) {
        return wait.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : wait;
    }

    public CompletableFuture<Reply> heartbeat(JsonNode body) {
        List<ClaimRows.Held> claims = new ArrayList<>();
        for (JsonNode claim : body.get("claims")) {
            claims.add(new ClaimRows.Held(
                    claim.get("type").stringValue(),
                    claim.get("id").stringValue(),
                    UUID.fromString(claim.get("lock").stringValue())));
        }
        return heartbeats.run(WorkJson.worker(body), claims);
    }

    /**
     * {@return the types of a worker, as it is listed, and of the claims that it has got last} Who acts for the worker
     * needs to be allowed to work on them.
     */
    public CompletableFuture<Set<String>> typesOf(ReadTransactionContext context, String name, UUID id) {
        return context.readAsync(tx -> jobs.workers()
                .find(tx, name, id)
                .thenCombine(rows.types(tx, id), (found, held) -> {
                    Set<String> types = new TreeSet<>(held);
                    found.ifPresent(worker -> types.addAll(worker.types()));
                    return types;
                }));
    }

    /** {@return whether this server has reported a worker a short time ago, with the same types} */
    public boolean isKnown(JsonNode body) {
        return registrations.isKnown(WorkJson.worker(body));
    }

    public CompletableFuture<Void> endWorker(TransactionContext context, JsonNode body) {
        UUID id = UUID.fromString(body.get("id").stringValue());
        return context.runAsync(tx -> {
            rows.remove(tx, id);
            return registrations.remove(tx, body.get("name").stringValue(), id);
        });
    }

    public CompletableFuture<Reply> update(
            TransactionContext context, JobType<RawPayload, RawPayload> type, String id, JsonNode body, Access caller) {
        return reports.run(
                context, type, id, body, caller, (tx, job) -> jobs.processor().update(tx, job));
    }

    public CompletableFuture<Reply> finish(
            TransactionContext context, JobType<RawPayload, RawPayload> type, String id, JsonNode body, Access caller) {
        Optional<RawPayload> result = body.has("result") || body.has("resultBytes")
                ? Optional.of(NewJobs.payload(body, "result"))
                : Optional.empty();
        return reports.end(
                context,
                type,
                id,
                body,
                caller,
                new Reports.End(AttemptEnd.SUCCEEDED, job -> Repetitions.isOfResult(job, result)),
                (tx, job) -> result.isPresent()
                        ? jobs.processor().finishWithResult(tx, type, job, result.get())
                        : jobs.processor().finish(tx, job));
    }

    public CompletableFuture<Reply> fail(
            TransactionContext context, JobType<RawPayload, RawPayload> type, String id, JsonNode body, Access caller) {
        JobType<RawPayload, RawPayload> retried =
                body.has("policy") ? type.retry(NewJobs.retry(body.get("policy"))) : type;
        boolean isRetried = body.path("retry").asBoolean(true);
        String text = errorText(body.get("error"));
        return reports.end(
                context,
                retried,
                id,
                body,
                caller,
                new Reports.End(
                        AttemptEnd.FAILED, job -> Repetitions.isOfFailure(job, text, isRetried, retried.retry())),
                (tx, job) -> jobs.processor().fail(tx, job, text, isRetried));
    }

    /** {@return the text of an error, with its class and message in the first line, as that of a Java error} */
    private static String errorText(JsonNode error) {
        String message = error.path("message").asString("");
        String stack = error.path("stack").asString("");
        return error.get("type").stringValue()
                + (message.isEmpty() ? "" : ": " + message)
                + (stack.isEmpty() ? "" : "\n" + stack);
    }

    public CompletableFuture<Reply> snooze(
            TransactionContext context, JobType<RawPayload, RawPayload> type, String id, JsonNode body, Access caller) {
        Duration pause = NewJobs.duration(body.get("time"));
        return reports.end(
                context,
                type,
                id,
                body,
                caller,
                new Reports.End(AttemptEnd.SNOOZED, job -> Repetitions.isOfPause(job, pause)),
                (tx, job) -> jobs.processor().snooze(tx, job, pause));
    }

    public CompletableFuture<Reply> cancel(
            TransactionContext context, JobType<RawPayload, RawPayload> type, String id, JsonNode body, Access caller) {
        String reason = body.path("reason").asString("");
        return reports.end(
                context,
                type,
                id,
                body,
                caller,
                new Reports.End(AttemptEnd.CANCELLED, job -> Repetitions.isOfText(job, reason)),
                (tx, job) -> jobs.processor().cancel(tx, job, reason));
    }

    public CompletableFuture<Reply> release(
            TransactionContext context, JobType<RawPayload, RawPayload> type, String id, JsonNode body, Access caller) {
        return reports.end(
                context,
                type,
                id,
                body,
                caller,
                new Reports.End(AttemptEnd.RELEASED, job -> true),
                (tx, job) -> jobs.processor().release(tx, job));
    }

    @Override
    public void close() {
        claimCalls.close();
    }
}
