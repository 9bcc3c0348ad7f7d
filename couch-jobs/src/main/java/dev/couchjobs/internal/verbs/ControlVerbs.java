package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.claims.RowTransitions;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.TypeInUse;
import dev.couchjobs.internal.dependencies.Dependents;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The verbs of operators, which change jobs that others may hold. */
public final class ControlVerbs {
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final RowTransitions rowTransitions;
    private final InstantSource clock;

    public ControlVerbs(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.clock = instance.clock();
        this.rowTransitions = new RowTransitions(clock, instance.environment().random());
    }

    /** {@return whether the job was pending or running} */
    public CompletableFuture<Boolean> cancel(
            TransactionContext context, JobType<?, ?> type, String jobId, String reason) {
        Objects.requireNonNull(reason, "reason");
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions
                .named("cancel", type.name())
                .runOnce(
                        context,
                        List.of(ref.keys()),
                        jobs -> jobs.editReadable(
                                ref, () -> Dependents.awaitedBy(jobs.tx(), keyspace, ref), (before, awaited) -> {
                                    if (before.filter(ControlVerbs::isActive).isEmpty()) {
                                        return CompletableFuture.completedFuture(false);
                                    }
                                    JobRow row = before.get();
                                    return unlinked(jobs.tx(), row, awaited).thenApply(done -> {
                                        jobs.save(ref, row, rowTransitions.cancelled(type, row, reason));
                                        return true;
                                    });
                                }));
    }

    private static CompletableFuture<?> unlinked(Transaction tx, JobRow row, Dependents.Awaited awaited) {
        return row.isBlocked() ? awaited.unlinkAll(tx) : CompletableFuture.completedFuture(row);
    }

    private static boolean isActive(JobRow row) {
        return row.state() != JobState.FINISHED;
    }

    private static boolean isPending(JobRow row) {
        return row.state() == JobState.PENDING;
    }

    /** {@return whether the job was pending} */
    public CompletableFuture<Boolean> runNow(TransactionContext context, JobType<?, ?> type, String jobId) {
        return changePending(context, "run now", type, jobId, ScheduledTimes.NONE);
    }

    /** {@return whether the job was pending} */
    public CompletableFuture<Boolean> reschedule(
            TransactionContext context, JobType<?, ?> type, String jobId, Instant time) {
        return changePending(context, "reschedule", type, jobId, ScheduledTimes.toSeconds(time));
    }

    private CompletableFuture<Boolean> changePending(
            TransactionContext context, String verb, JobType<?, ?> type, String jobId, long time) {
        return change(
                context,
                verb,
                type,
                jobId,
                row -> row.filter(ControlVerbs::isPending).map(pending -> pending.rescheduled(time)));
    }

    /** {@return whether the job was pending or running} */
    public CompletableFuture<Boolean> reprioritise(
            TransactionContext context, JobType<?, ?> type, String jobId, int priority) {
        long now = clock.millis();
        return change(
                context,
                "reprioritise",
                type,
                jobId,
                row -> row.filter(ControlVerbs::isActive)
                        .map(active -> active.withOptions(active.options().reprioritised(priority, now))));
    }

    /**
     * Changes a job. A change that changes nothing writes nothing.
     *
     * @param change gives the row after; empty if the job is not in a state to be changed
     * @return whether the job was in such a state
     */
    private CompletableFuture<Boolean> change(
            TransactionContext context,
            String verb,
            JobType<?, ?> type,
            String jobId,
            Function<Optional<JobRow>, Optional<JobRow>> change) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions
                .named(verb, type.name())
                .runOnce(
                        context,
                        List.of(ref.keys()),
                        jobs -> jobs.editReadable(
                                ref, () -> TypeInUse.prefetch(jobs.tx(), ref.keys()), (before, foreseen) -> {
                                    Optional<JobRow> after = change.apply(before);
                                    after.filter(row -> !after.equals(before))
                                            .ifPresent(row -> jobs.save(ref, before.orElse(null), row));
                                    return CompletableFuture.completedFuture(after.isPresent());
                                }));
    }
}
