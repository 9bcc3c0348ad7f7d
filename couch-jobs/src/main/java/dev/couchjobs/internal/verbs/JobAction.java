package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Outcome;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.internal.claims.RowTransitions;
import dev.couchjobs.internal.dependencies.Dependents;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.Standing;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.retention.TypeRetention;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.types.TypeInUse;
import dev.couchjobs.internal.unique.UniqueIndex;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** What a caller that does not hold a job does to it. An action that changes nothing writes nothing. */
@FunctionalInterface
interface JobAction {
    /** {@return whether the job was in a state in which the action applies} */
    CompletableFuture<Boolean> apply(JobStore jobs, JobRef ref);

    /** Cancels a pending or running job. */
    static JobAction cancel(Keyspace keyspace, RowTransitions rowTransitions, JobType<?, ?> type, String reason) {
        return (jobs, ref) ->
                jobs.editReadable(ref, () -> Dependents.awaitedBy(jobs.tx(), keyspace, ref), (before, awaited) -> {
                    if (before.filter(JobAction::isActive).isEmpty()) {
                        return CompletableFuture.completedFuture(false);
                    }
                    JobRow row = before.get();
                    return unlinked(jobs.tx(), before, awaited)
                            .thenCompose(done -> TypeRetention.ending(jobs.tx(), ref.keys(), type))
                            .thenApply(ending -> {
                                jobs.save(ref, row, rowTransitions.cancelled(ending, row, reason));
                                return true;
                            });
                });
    }

    /** Removes a job. A damaged row goes to quarantine. */
    static JobAction remove(Keyspace keyspace) {
        return (jobs, ref) -> jobs.editReadable(
                        ref,
                        () -> Dependents.awaitedBy(jobs.tx(), keyspace, ref),
                        (before, awaited) -> unlinked(jobs.tx(), before, awaited)
                                .thenApply(done -> {
                                    before.ifPresent(row -> jobs.save(ref, row, null));
                                    return before.isPresent();
                                }))
                .exceptionallyCompose(error -> RootCauses.of(error) instanceof UndecodableRowException
                        ? quarantine(keyspace, jobs, ref)
                        : CompletableFuture.failedFuture(error));
    }

    /** Reads the job's dependencies, since a damaged row cannot say whether it has any. */
    private static CompletableFuture<Boolean> quarantine(Keyspace keyspace, JobStore jobs, JobRef ref) {
        Transaction tx = jobs.tx();
        return JobStore.of(tx)
                .edit(
                        ref,
                        gone -> Dependents.awaitedBy(tx, keyspace, ref).thenCompose(awaited -> awaited.unlinkAll(tx)))
                .thenApply(done -> true);
    }

    private static CompletableFuture<?> unlinked(Transaction tx, Optional<JobRow> before, Dependents.Awaited awaited) {
        return before.filter(row -> Standing.of(row).waitsForDependencies()).isPresent()
                ? awaited.unlinkAll(tx)
                : CompletableFuture.completedFuture(before);
    }

    /** Gives a pending job another scheduled time. */
    static JobAction reschedule(long time) {
        return change(row -> row.state() == JobState.PENDING, row -> row.rescheduled(time));
    }

    /** Gives a pending or running job another priority. */
    static JobAction reprioritise(int priority, long now) {
        return change(JobAction::isActive, row -> row.withOptions(row.options().reprioritised(priority, now)));
    }

    /** Makes a dead letter pending, unless another job that is pending or running has its unique key. */
    static JobAction retry(long now) {
        return (jobs, ref) -> jobs.editReadable(
                ref,
                () -> TypeInUse.prefetch(jobs.tx(), ref.keys()),
                (before, foreseen) -> before.filter(JobAction::isDeadLetter)
                        .map(row -> retry(jobs, ref, row, now))
                        .orElseGet(() -> CompletableFuture.completedFuture(false)));
    }

    /** Makes a dead letter pending that the caller edits, as {@link #retry(long)} does. */
    static CompletableFuture<Boolean> retry(JobStore jobs, JobRef ref, JobRow deadLetter, long now) {
        JobRow again = deadLetter.enqueued(deadLetter.payload(), ScheduledTimes.NONE);
        return UniqueIndex.saveIfFree(
                jobs, ref, deadLetter, again.withOptions(again.options().begun().ownedSince(now)));
    }

    private static JobAction change(Predicate<JobRow> applies, UnaryOperator<JobRow> change) {
        return (jobs, ref) ->
                jobs.editReadable(ref, () -> TypeInUse.prefetch(jobs.tx(), ref.keys()), (before, foreseen) -> {
                    Optional<JobRow> after = before.filter(applies).map(change);
                    after.filter(row -> !after.equals(before))
                            .ifPresent(row -> jobs.save(ref, before.orElse(null), row));
                    return CompletableFuture.completedFuture(after.isPresent());
                });
    }

    /** {@return whether a job is pending or running} */
    static boolean isActive(JobRow row) {
        return row.state() != JobState.FINISHED;
    }

    /** {@return whether a job has failed for good} */
    static boolean isDeadLetter(JobRow row) {
        return row.state() == JobState.FINISHED && row.outcome() == Outcome.FAILED;
    }
}
