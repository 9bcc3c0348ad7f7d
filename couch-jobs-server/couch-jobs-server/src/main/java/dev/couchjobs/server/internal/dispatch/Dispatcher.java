package dev.couchjobs.server.internal.dispatch;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.server.internal.api.Call;
import dev.couchjobs.server.internal.api.Operations;
import dev.couchjobs.server.internal.api.PayloadGate;
import dev.couchjobs.server.internal.http.Digests;
import dev.couchjobs.server.internal.http.EntityTags;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import dev.couchjobs.server.internal.openapi.ApiOperation;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Runs operations: reads with entity tags and sequences, writes with preconditions and keys of idempotency. */
final class Dispatcher {
    /**
     * The operations that load as much as users have stored: they take turns. Those that wait take their turn for each
     * read.
     */
    private static final Set<String> WITH_PAYLOADS = Set.of(
            "getJob",
            "getJobData",
            "getSelection",
            "listLog",
            "listFirings",
            "getLatestMessage",
            "pollGroup",
            "consumeFromQueue");

    /** In requests, as {@code noOlderThan}, and in replies: what was committed. */
    static final String SEQUENCE = "Couch-Jobs-Sequence";

    private static final int VERSION_BYTES = 10;
    private static final int OWN_KEY_BYTES = 16;

    private final CouchJobs jobs;
    private final Database database;
    private final Operations operations;
    private final Map<String, ApiOperation> document;
    private final StoredReplies storedReplies;
    private final PayloadGate payloads;

    Dispatcher(
            CouchJobs jobs,
            Database database,
            Operations operations,
            Map<String, ApiOperation> document,
            StoredReplies storedReplies,
            PayloadGate payloads) {
        this.jobs = jobs;
        this.database = database;
        this.operations = operations;
        this.document = document;
        this.storedReplies = storedReplies;
        this.payloads = payloads;
    }

    /** What the headers of a request ask for. */
    record Conditions(
            Optional<EntityTags> ifMatch, Optional<EntityTags> ifNoneMatch, Optional<String> idempotencyKey) {}

    /** {@return whether an operation may take long} */
    boolean waits(ApiOperation operation) {
        return operations
                .find(operation.id())
                .filter(Operations.Acting.class::isInstance)
                .isPresent();
    }

    /** {@return whether an operation writes, whatever its method is} */
    boolean writes(ApiOperation operation) {
        return operations
                .find(operation.id())
                .filter(Operations.Writing.class::isInstance)
                .isPresent();
    }

    CompletableFuture<Reply> run(ApiOperation operation, Call call, Conditions conditions) {
        Operations.Handler handler = operations
                .find(operation.id())
                .orElseThrow(() -> new IllegalStateException("No code is bound to " + operation.id() + "."));
        if (handler instanceof Operations.Reading reading) {
            return inTurn(operation, () -> read(reading.read(), call, conditions));
        }
        if (handler instanceof Operations.Writing writing) {
            return inTurn(operation, () -> write(operation, writing.write(), call, conditions));
        }
        boolean takesKey = operation.parameters().containsKey("Idempotency-Key");
        if (conditions.idempotencyKey().isPresent() && operation.isWrite() && !takesKey) {
            throw new ProblemException(Problem.of(400, "no-idempotency", "This operation takes no Idempotency-Key.")
                    .detail("Leave the header out: " + operation.id() + " can be repeated as it is, or its reply must"
                            + " not be stored."));
        }
        return ((Operations.Acting) handler).act().run(call);
    }

    private CompletableFuture<Reply> inTurn(ApiOperation operation, Supplier<CompletableFuture<Reply>> run) {
        return WITH_PAYLOADS.contains(operation.id()) ? payloads.run(run) : run.get();
    }

    private CompletableFuture<Reply> read(Operations.Read read, Call call, Conditions conditions) {
        ReadTransactionContext context =
                call.text("noOlderThan").map(this::atLeast).orElse(database);
        return read.run(call, context).thenApply(reply -> {
            String tag = Digests.entityTag(reply.body());
            return conditions
                            .ifNoneMatch()
                            .filter(known -> known.matchesWeakly(tag))
                            .isPresent()
                    ? Reply.empty(304).with("ETag", tag)
                    : reply.with("ETag", tag);
        });
    }

    private ReadTransactionContext atLeast(String sequence) {
        return jobs.atLeastVersion(
                database, Versionstamp.complete(HexFormat.of().parseHex(sequence, 0, 2 * VERSION_BYTES)));
    }

    private CompletableFuture<Reply> write(
            ApiOperation operation, Operations.Write write, Call call, Conditions conditions) {
        CommittedContext context = new CommittedContext(database);
        CompletableFuture<Reply> reply =
                conditions.ifMatch().isEmpty() && conditions.idempotencyKey().isEmpty()
                        ? write.run(call, context)
                        : writeOnce(operation, write, call, conditions, context);
        return reply.thenCompose(done -> context.sequence()
                .thenApply(sequence ->
                        sequence.map(text -> done.with(SEQUENCE, text)).orElse(done)));
    }

    /** A write whose commit has an unknown result runs again, and would not find what If-Match says. */
    private CompletableFuture<Reply> writeOnce(
            ApiOperation operation,
            Operations.Write write,
            Call call,
            Conditions conditions,
            TransactionContext context) {
        StoredReplies.Key key = conditions
                .idempotencyKey()
                .map(text -> new StoredReplies.Key(text, true))
                .orElseGet(() -> new StoredReplies.Key(ServerEnvironment.randomHex(OWN_KEY_BYTES), false));
        return context.runAsync(tx -> storedReplies.once(
                tx,
                new StoredReplies.Request(operation.id(), call, conditions.ifMatch()),
                key,
                () -> requireMatch(operation, call, conditions, tx).thenCompose(matched -> write.run(call, tx))));
    }

    /** Reads what the operation changes, in its transaction, and compares the tag. */
    private CompletableFuture<Boolean> requireMatch(
            ApiOperation operation, Call call, Conditions conditions, ReadTransactionContext tx) {
        if (conditions.ifMatch().isEmpty()) {
            return CompletableFuture.completedFuture(true);
        }
        EntityTags wanted = conditions.ifMatch().get();
        Operations.Handler reader = operation
                .resource()
                .map(document::get)
                .flatMap(resource -> operations.find(resource.id()))
                .orElseThrow(
                        () -> new ProblemException(Problem.of(400, "no-condition", "This operation takes no If-Match.")
                                .detail("Leave the header out.")));
        return ((Operations.Reading) reader).read().run(call, tx).handle((reply, error) -> {
            if (error != null || !wanted.matchesStrongly(Digests.entityTag(reply.body()))) {
                throw new ProblemException(Problem.of(412, "changed", "The resource is not what If-Match says.")
                        .detail("Read it again, decide again, and send its new ETag."));
            }
            return true;
        });
    }
}
