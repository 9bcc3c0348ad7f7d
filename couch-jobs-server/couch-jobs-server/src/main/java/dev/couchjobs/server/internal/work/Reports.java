package dev.couchjobs.server.internal.work;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.ClaimKey;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Processor;
import dev.couchjobs.RawPayload;
import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.json.NewJobs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import tools.jackson.databind.JsonNode;

/**
 * What a worker says of a job that it holds, and how it ends it: in one transaction, which commits only while the claim
 * holds. The end is repeatable: the lock tells how the claim has ended.
 */
final class Reports {
    private static final CompletableFuture<Boolean> NOTHING = CompletableFuture.completedFuture(false);

    private final CouchJobs jobs;
    private final Processor processor;

    Reports(CouchJobs jobs) {
        this.jobs = jobs;
        this.processor = jobs.processor();
    }

    /** Ends a claim, or renews it. */
    @FunctionalInterface
    interface Verb {
        CompletableFuture<?> run(Transaction tx, Job<?> job);
    }

    /**
     * Runs a verb, with the log entries, the progress, the checkpoint and the jobs in the body.
     *
     * @param end how the verb ends the claim; empty if it does not
     */
    CompletableFuture<Reply> run(
            TransactionContext context,
            JobType<RawPayload, RawPayload> type,
            String id,
            JsonNode body,
            Optional<AttemptEnd> end,
            Verb verb) {
        UUID lock = UUID.fromString(body.get("lock").stringValue());
        return context.runAsync(tx -> processor
                .claim(tx, new ClaimKey(type, id, lock)) // its data may be large, and no verb needs it
                .<Optional<Job<?>>>handle((job, error) -> claimOrRepetition(job, error, end))
                .thenCompose(claim -> claim.isEmpty() ? NOTHING : reportAndRun(tx, claim.get(), body, verb))
                .thenCompose(done -> jobs.getJobState(tx, type, id))
                .thenApply(Reports::reply));
    }

    /** {@return the claim, or nothing if it has ended by the same verb before} */
    private static Optional<Job<?>> claimOrRepetition(Job<?> job, Throwable error, Optional<AttemptEnd> end) {
        if (error == null) {
            return Optional.of(job);
        }
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        if (end.isPresent()
                && cause instanceof JobHaltedException halt
                && halt.end().equals(end)) {
            return Optional.empty();
        }
        throw new CompletionException(cause);
    }

    private static Reply reply(JobState state) {
        return Reply.ok(new Fields().put("state", state).node());
    }

    private CompletableFuture<Boolean> reportAndRun(Transaction tx, Job<?> job, JsonNode body, Verb verb) {
        return report(tx, job, body).thenCompose(done -> verb.run(tx, job)).thenApply(done -> true);
    }

    private CompletableFuture<?> report(Transaction tx, Job<?> job, JsonNode body) {
        CompletableFuture<?> done = CompletableFuture.completedFuture(tx);
        for (JsonNode entry : body.path("log")) {
            done = done.thenCompose(before -> processor.log(tx, job, Json.payload(entry)));
        }
        if (body.has("progress")) {
            JsonNode progress = body.get("progress");
            done = done.thenCompose(before -> processor.progress(
                    tx,
                    job,
                    progress.get("done").longValue(),
                    progress.path("total").asLong(0),
                    progress.path("text").asString("")));
        }
        if (body.has("checkpoint")) {
            done = done.thenCompose(before -> processor.checkpoint(tx, job, Json.payload(body.get("checkpoint"))));
        }
        if (!body.path("jobs").isEmpty()) {
            List<NewJob<RawPayload>> all = new ArrayList<>();
            body.get("jobs").forEach(added -> all.add(NewJobs.withType(added)));
            done = done.thenCompose(before -> jobs.addAll(tx, all));
        }
        return done;
    }
}
