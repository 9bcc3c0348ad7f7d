package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.AddResult;
import dev.couchjobs.Dependency;
import dev.couchjobs.JobState;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.Retention;
import dev.couchjobs.internal.data.DependencyState;
import dev.couchjobs.internal.data.JobOptions;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.Payload;
import dev.couchjobs.internal.dependencies.DependencyLinker;
import dev.couchjobs.internal.dependencies.LinkResult;
import dev.couchjobs.internal.dependencies.ReleaseOutbox;
import dev.couchjobs.internal.views.PayloadCodec;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * A job to add, with everything settled that needs no transaction.
 *
 * @param ref where it is to be
 * @param payload its data
 * @param scheduledTime seconds since the epoch, 0 for none
 * @param options what it asks for beyond the RFC
 * @param isNamed whether a caller may know its id already, and so wait for it
 * @param dependencies what it is to wait for
 * @param retention how long it is kept once it has ended
 * @param leavesAlone whether a job in that state, if it is there already, stays as it is
 */
record AddRequest(
        JobRef ref,
        Payload payload,
        long scheduledTime,
        JobOptions options,
        boolean isNamed,
        List<Dependency> dependencies,
        Retention retention,
        Predicate<JobState> leavesAlone) {

    static <D> AddRequest of(JobRef ref, NewJob<D> job, PayloadCodec codec, long now) {
        Payload payload = Payload.of(codec.encode(job.type(), ref.id(), job.data()));
        long time = job.at().map(ScheduledTimes::toSeconds).orElse(ScheduledTimes.NONE);
        return new AddRequest(
                ref,
                payload,
                time,
                JobOptions.withOptions(job.priority(), now, job.retry().orElse(null)),
                job.id().isPresent(),
                job.dependencies(),
                job.type().retention(),
                job::leavesAlone);
    }

    /**
     * {@return what happens to the job, which waits for others or cannot run because of them, or is as without them}
     */
    CompletableFuture<Optional<JobRow>> to(
            Transaction tx,
            Optional<JobRow> before,
            long group,
            DependencyLinker dependencyLinker,
            LinkResult linkResult) {
        CompletableFuture<Optional<JobRow>> alone = to(tx, before, group);
        if (linkResult.areNone()) {
            return alone;
        }
        long kept = retention
                .after(Outcome.FAILED)
                .map(time -> time.plusNanos(999_999_999).toSeconds())
                .orElse(DependencyState.FOR_EVER);
        return alone.thenCompose(after -> dependencyLinker.linked(
                        tx, ref, after.or(() -> before).orElseThrow(), linkResult, kept, retention.isArchived()))
                .thenApply(Optional::of);
    }

    /** {@return the waiter group of those who wait for the job if it is not there; read beside its row} */
    CompletableFuture<Long> expected(Transaction tx) {
        return isNamed ? ReleaseOutbox.expected(tx, ref) : CompletableFuture.completedFuture(DependencyState.NO_GROUP);
    }

    /** {@return what happens to the job, or empty if it is as it is to be: then there is no write, and no conflict} */
    CompletableFuture<Optional<JobRow>> to(Transaction tx, Optional<JobRow> before, long group) {
        if (before.isEmpty()) {
            if (isNamed) {
                ReleaseOutbox.addReadConflict(tx, ref);
            }
            return CompletableFuture.completedFuture(Optional.of(arriving(group)));
        }
        if (leavesAlone(before)) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return isUnchanged(tx, before.get())
                .thenApply(nothingNew -> nothingNew ? Optional.empty() : Optional.of(added(before.get())));
    }

    /** {@return whether there is a job that stays as it is} */
    boolean leavesAlone(Optional<JobRow> before) {
        return before.map(JobRow::state).filter(leavesAlone).isPresent();
    }

    /** {@return what was done, from the row that was there to the one that was written, if one was} */
    AddResult result(Optional<JobRow> before, Optional<JobRow> after) {
        return new AddResult(ref.id(), after.isEmpty() ? AddResult.Change.UNCHANGED : change(before));
    }

    private static AddResult.Change change(Optional<JobRow> before) {
        JobState state = before.map(JobRow::state).orElse(JobState.NOT_FOUND);
        return switch (state) {
            case NOT_FOUND -> AddResult.Change.ADDED;
            case PENDING -> AddResult.Change.REPLACED;
            case RUNNING -> AddResult.Change.RESUBMITTED;
            case FINISHED -> AddResult.Change.RUN_AGAIN;
        };
    }

    /** A job that was not there, with those who wait for it already. */
    private JobRow arriving(long group) {
        return JobRow.added(payload, scheduledTime, options.withDependencies(DependencyState.NONE.with(true, group)));
    }

    private CompletableFuture<Boolean> isUnchanged(ReadTransaction tx, JobRow row) {
        if (row.scheduledTime() != scheduledTime) {
            return CompletableFuture.completedFuture(false);
        }
        if (row.state() == JobState.RUNNING) {
            return CompletableFuture.completedFuture(
                    row.resubmit() && row.options().priority() == options.priority());
        }
        return row.state() == JobState.PENDING && row.options().hasSameOptionsAs(options)
                ? row.payload().holds(tx, ref, payload)
                : CompletableFuture.completedFuture(false);
    }

    /**
     * The cases of {@code add} to a job that is there. What a running job has belongs to its processor, but for when it
     * is to run again.
     */
    private JobRow added(JobRow row) {
        if (row.state() == JobState.RUNNING) {
            return row.flagged(scheduledTime).on(row.options().prioritised(options));
        }
        JobRow again = row.enqueued(payload, scheduledTime);
        JobOptions asked = again.options().withOptions(options);
        return again.on(row.state() == JobState.PENDING ? asked.withEnqueueTimeOf(row.options()) : asked);
    }
}
