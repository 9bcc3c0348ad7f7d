package dev.couchjobs.server.internal.work;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.ClaimKey;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobAlreadyFinishedException;
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
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What a worker says of a job that it holds, and how it ends it: in one transaction, which commits only while the claim
 * holds. The end is repeatable: the lock tells how the claim has ended. A finish with another result than the stored
 * one is no repetition.
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
        return run(context, type, id, body, end, Optional.empty(), verb);
    }

    /**
     * Finishes a job, with what else is in the body.
     *
     * @param result the result, which a repetition has, too; empty if there is none
     */
    CompletableFuture<Reply> finish(
            TransactionContext context,
            JobType<RawPayload, RawPayload> type,
            String id,
            JsonNode body,
            Optional<RawPayload> result) {
        return run(
                context,
                type,
                id,
                body,
                Optional.of(AttemptEnd.SUCCEEDED),
                result,
                (tx, job) -> result.isPresent()
                        ? processor.finishWithResult(tx, type, job, result.get())
                        : processor.finish(tx, job));
    }

    private CompletableFuture<Reply> run(
            TransactionContext context,
            JobType<RawPayload, RawPayload> type,
            String id,
            JsonNode body,
            Optional<AttemptEnd> end,
            Optional<RawPayload> result,
            Verb verb) {
        UUID lock = UUID.fromString(body.get("lock").stringValue());
        return context.runAsync(tx -> processor
                .claim(tx, new ClaimKey(type, id, lock)) // its data may be large, and no verb needs it
                .<Claim>handle((job, error) -> claimOrRepetition(job, error, end))
                .thenCompose(claim -> claim.repeated() == null
                        ? reportAndRun(tx, claim.job(), body, verb)
                        : checkRepetition(tx, type, id, result, claim.repeated()))
                .thenCompose(done -> jobs.getJobState(tx, type, id))
                .thenApply(Reports::reply));
    }

    /** {@return when it is known that a claim which has ended by the same verb has ended with the same result} */
    private CompletableFuture<Boolean> checkRepetition(
            Transaction tx,
            JobType<RawPayload, RawPayload> type,
            String id,
            Optional<RawPayload> result,
            JobHaltedException halt) {
        return halt instanceof JobAlreadyFinishedException
                ? jobs.getJob(tx, type, id).thenApply(found -> {
                    // A job that is pending again has no result: the first one was left out, too.
                    if (found.filter(job -> job.state() == JobState.FINISHED
                                    && !job.result().equals(result))
                            .isPresent()) {
                        throw halt;
                    }
                    return false;
                })
                : NOTHING;
    }

    /**
     * A claim, or what says that it has ended by the same verb before.
     *
     * @param repeated null if the claim holds
     */
    private record Claim(Job<?> job, @Nullable JobHaltedException repeated) {}

    private static Claim claimOrRepetition(Job<?> job, Throwable error, Optional<AttemptEnd> end) {
        if (error == null) {
            return new Claim(job, null);
        }
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        if (end.isPresent()
                && cause instanceof JobHaltedException halt
                && halt.end().equals(end)) {
            return new Claim(job, halt);
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
