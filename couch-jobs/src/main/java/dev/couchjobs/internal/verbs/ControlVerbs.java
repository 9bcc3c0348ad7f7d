package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.claims.RowTransitions;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** The verbs of operators, which change jobs that others may hold. */
public final class ControlVerbs {
    private final Instance instance;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final RowTransitions rowTransitions;
    private final InstantSource clock;

    public ControlVerbs(Instance instance) {
        this.instance = instance;
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.clock = instance.clock();
        this.rowTransitions = new RowTransitions(clock, instance.environment().random());
    }

    /** {@return whether the job was pending or running} */
    public CompletableFuture<Boolean> cancel(
            TransactionContext context, JobType<?, ?> type, String jobId, String reason) {
        return run(context, "cancel", type, jobId, cancellation(type, reason));
    }

    private JobAction cancellation(JobType<?, ?> type, String reason) {
        return JobAction.cancel(keyspace, rowTransitions, type, Objects.requireNonNull(reason, "reason"));
    }

    /** {@return whether the job was pending} */
    public CompletableFuture<Boolean> runNow(TransactionContext context, JobType<?, ?> type, String jobId) {
        return run(context, "run now", type, jobId, JobAction.reschedule(ScheduledTimes.NONE));
    }

    /** {@return whether the job was pending} */
    public CompletableFuture<Boolean> reschedule(
            TransactionContext context, JobType<?, ?> type, String jobId, Instant time) {
        return run(
                context,
                "reschedule",
                type,
                jobId,
                JobAction.reschedule(ScheduledTimes.given("A job is scheduled", time)));
    }

    /** {@return whether the job was pending or running} */
    public CompletableFuture<Boolean> reprioritise(
            TransactionContext context, JobType<?, ?> type, String jobId, int priority) {
        return run(context, "reprioritise", type, jobId, JobAction.reprioritise(priority, clock.millis()));
    }

    private CompletableFuture<Boolean> run(
            TransactionContext context, String verb, JobType<?, ?> type, String jobId, JobAction action) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions
                .named(verb, type.name())
                .runOnce(context, List.of(ref.keys()), jobs -> action.apply(jobs, ref));
    }

    /** Verbs for all jobs of a type that meet a condition. */
    public <D, R> SelectionVerbs<D, R> select(
            JobType<D, R> type, Predicate<? super JobInfo<D, R>> condition, Optional<String> tag) {
        return new SelectionVerbs<>(instance, type, condition, tag);
    }

    /** {@return the action that cancels each job} */
    public BulkAction cancelAll(JobType<?, ?> type, String reason) {
        return new BulkAction("cancel all", cancellation(type, reason));
    }

    /** {@return the action that removes each job} */
    public BulkAction removeAll() {
        return new BulkAction("remove all", JobAction.remove(keyspace));
    }

    /** {@return the action that makes each dead letter pending} */
    public BulkAction retryAll() {
        return new BulkAction("retry all", JobAction.retry(clock.millis()));
    }

    /** {@return the action that lets each pending job run} */
    public BulkAction runAllNow() {
        return new BulkAction("run all now", JobAction.reschedule(ScheduledTimes.NONE));
    }

    /** {@return the action that gives each pending job a scheduled time} */
    public BulkAction rescheduleAll(Instant time) {
        return new BulkAction("reschedule all", JobAction.reschedule(ScheduledTimes.given("A job is scheduled", time)));
    }

    /** {@return the action that gives each pending or running job a priority} */
    public BulkAction reprioritiseAll(int priority) {
        return new BulkAction("reprioritise all", JobAction.reprioritise(priority, clock.millis()));
    }

    /** {@return the action that only counts} */
    public BulkAction countAll() {
        return new BulkAction("count all", (jobs, ref) -> CompletableFuture.completedFuture(true));
    }

    /**
     * What is done to each job of a selection.
     *
     * @param name the name of the transactions
     */
    public record BulkAction(String name, JobAction action) {}
}
