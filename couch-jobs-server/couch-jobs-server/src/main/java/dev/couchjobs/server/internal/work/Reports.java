package dev.couchjobs.server.internal.work;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.ClaimKey;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Processor;
import dev.couchjobs.RawPayload;
import dev.couchjobs.server.Access;
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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What a worker says of a job that it holds, and how it ends it: in one transaction, which commits only while the claim
 * holds. The end is repeatable: the lock tells how the claim has ended. An end that says something else than what is
 * stored ({@link Repetitions}) is no repetition: the first holds.
 */
final class Reports {
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
     * How a verb ends a claim.
     *
     * @param isRepeatedBy whether a job says what this request says, once its claim has ended so; it is without data
     */
    record End(AttemptEnd how, Predicate<JobInfo<RawPayload, RawPayload>> isRepeatedBy) {}

    /** Runs a verb that ends no claim, with the log entries, the progress, the checkpoint and the jobs in the body. */
    CompletableFuture<Reply> run(
            TransactionContext context,
            JobType<RawPayload, RawPayload> type,
            String id,
            JsonNode body,
            Access caller,
            Verb verb) {
        return run(context, type, id, body, caller, Optional.empty(), verb);
    }

    /** Runs a verb that ends a claim, with what else is in the body. */
    CompletableFuture<Reply> end(
            TransactionContext context,
            JobType<RawPayload, RawPayload> type,
            String id,
            JsonNode body,
            Access caller,
            End end,
            Verb verb) {
        return run(context, type, id, body, caller, Optional.of(end), verb);
    }

    private CompletableFuture<Reply> run(
            TransactionContext context,
            JobType<RawPayload, RawPayload> type,
            String id,
            JsonNode body,
            Access caller,
            Optional<End> end,
            Verb verb) {
        UUID lock = UUID.fromString(body.get("lock").stringValue());
        List<NewJob<RawPayload>> added = new ArrayList<>();
        body.path("jobs").forEach(one -> added.add(NewJobs.withType(caller, one)));
        return context.runAsync(tx -> processor
                .claim(tx, new ClaimKey(type, id, lock)) // its data may be large, and no verb needs it
                .<Claim>handle((job, error) -> claimOrRepetition(job, error, end))
                .thenCompose(claim -> claim.halt() == null
                        ? reportAndRun(tx, claim.job(), body, added, verb)
                        : checkRepetition(tx, type, id, end.orElseThrow(), claim.halt()))
                .thenCompose(done -> jobs.getJobState(tx, type, id))
                .thenApply(Reports::reply));
    }

    /** {@return when it is known that a claim which has ended by the same verb has ended as this request says} */
    private CompletableFuture<Boolean> checkRepetition(
            Transaction tx, JobType<RawPayload, RawPayload> type, String id, End end, JobHaltedException halt) {
        return jobs.details().withoutData(tx, type, id).thenApply(found -> {
            if (found.filter(end.isRepeatedBy()).isEmpty()) {
                throw halt;
            }
            return false;
        });
    }

    /**
     * A claim, or what says that it has ended by the same verb before.
     *
     * @param halt null if the claim holds
     */
    private record Claim(Job<?> job, @Nullable JobHaltedException halt) {}

    private static Claim claimOrRepetition(Job<?> job, Throwable error, Optional<End> end) {
        if (error == null) {
            return new Claim(job, null);
        }
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        if (end.isPresent()
                && cause instanceof JobHaltedException halt
                && halt.end().equals(end.map(End::how))) {
            return new Claim(job, halt);
        }
        throw new CompletionException(cause);
    }

    private static Reply reply(JobState state) {
        return Reply.ok(new Fields().put("state", state).node());
    }

    private CompletableFuture<Boolean> reportAndRun(
            Transaction tx, Job<?> job, JsonNode body, List<NewJob<RawPayload>> added, Verb verb) {
        return report(tx, job, body, added)
                .thenCompose(done -> verb.run(tx, job))
                .thenApply(done -> true);
    }

    private CompletableFuture<?> report(Transaction tx, Job<?> job, JsonNode body, List<NewJob<RawPayload>> added) {
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
        if (!added.isEmpty()) {
            done = done.thenCompose(before -> jobs.addAll(tx, added));
        }
        return done;
    }
}
