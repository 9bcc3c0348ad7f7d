package dev.couchjobs.server.internal.api;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.RawPayload;
import dev.couchjobs.server.Access;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.work.WorkProtocol;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** Work on jobs, by workers in any language. */
public final class WorkOperations implements AutoCloseable {
    private final WorkProtocol protocol;
    private final Database database;

    public WorkOperations(CouchJobs jobs, Database database, Subspace rows) {
        this.database = database;
        protocol = new WorkProtocol(jobs, database, rows);
    }

    /** Says something of one claim, or ends it. */
    @FunctionalInterface
    private interface Verb {
        CompletableFuture<Reply> run(
                TransactionContext context,
                JobType<RawPayload, RawPayload> type,
                String id,
                JsonNode body,
                Access caller);
    }

    public void bind(Operations operations) {
        operations.act("claimJobs", call -> {
            requireWork(call, call.body().get("worker").get("types"));
            return requireWorker(call).thenCompose(done -> protocol.claim(call.body(), call.connection()));
        });
        operations.act("renewClaims", call -> {
            call.body()
                    .get("claims")
                    .forEach(claim -> call.require(Role.WORK, claim.get("type").stringValue()));
            requireWork(call, call.body().get("worker").get("types"));
            return requireWorker(call).thenCompose(done -> protocol.heartbeat(call.body()));
        });
        operations.write(
                "endWorker",
                (call, context) -> Replies.done(context.runAsync(tx -> requireWorker(call, tx, call.body())
                        .thenCompose(done -> protocol.endWorker(tx, call.body())))));
        bind(operations, "updateClaim", protocol::update);
        bind(operations, "finishClaim", protocol::finish);
        bind(operations, "failClaim", protocol::fail);
        bind(operations, "snoozeClaim", protocol::snooze);
        bind(operations, "cancelClaim", protocol::cancel);
        bind(operations, "releaseClaim", protocol::release);
    }

    private static void requireWork(Call call, JsonNode types) {
        types.forEach(type -> call.require(Role.WORK, type.stringValue()));
    }

    /** Requires the role for the types that the worker has had until now: what the caller says replaces them. */
    private CompletableFuture<Boolean> requireWorker(Call call) {
        return call.access().types().isEmpty() || protocol.isKnown(call.body())
                ? CompletableFuture.completedFuture(true)
                : requireWorker(call, database, call.body().get("worker"));
    }

    private CompletableFuture<Boolean> requireWorker(Call call, ReadTransactionContext context, JsonNode worker) {
        if (call.access().types().isEmpty()) {
            return CompletableFuture.completedFuture(true); // for all types
        }
        UUID id = UUID.fromString(worker.get("id").stringValue());
        return protocol.typesOf(context, worker.get("name").stringValue(), id).thenApply(types -> {
            types.forEach(type -> call.require(Role.WORK, type));
            return true;
        });
    }

    private static void bind(Operations operations, String operationId, Verb verb) {
        operations.write(operationId, (call, tx) -> verb.run(tx, call.type(), call.id(), call.body(), call.access()));
    }

    @Override
    public void close() {
        protocol.close();
    }
}
