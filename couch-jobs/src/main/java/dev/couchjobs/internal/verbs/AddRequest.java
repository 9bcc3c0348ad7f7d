package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.AddResult;
import dev.couchjobs.BatchRoleException;
import dev.couchjobs.Dependency;
import dev.couchjobs.JobState;
import dev.couchjobs.NewJob;
import dev.couchjobs.Retention;
import dev.couchjobs.Unique;
import dev.couchjobs.internal.dependencies.DependencyLinker;
import dev.couchjobs.internal.dependencies.ExpectedJob;
import dev.couchjobs.internal.dependencies.LinkResult;
import dev.couchjobs.internal.dependencies.ReleaseOutbox;
import dev.couchjobs.internal.job.BatchPlace;
import dev.couchjobs.internal.job.JobKeys;
import dev.couchjobs.internal.job.JobOptions;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.Payload;
import dev.couchjobs.internal.job.SequencePlace;
import dev.couchjobs.internal.job.UniqueKey;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Moments;
import dev.couchjobs.internal.unique.UniqueIndex;
import dev.couchjobs.internal.views.PayloadCodec;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A job to add, with all its values that need no transaction.
 *
 * @param ref the job
 * @param payload its data
 * @param scheduledTime seconds since the epoch, 0 for none
 * @param options its priority, enqueue time and retry policy
 * @param isNamed whether the creator chose the id, so that other jobs may wait for it already
 * @param dependencies the jobs that it waits for
 * @param retention how long it is kept once it has ended
 * @param leavesAlone whether an existing job in a state stays as it is
 * @param unique which other job makes it a duplicate
 * @param found the state in which the search for duplicates found the job whose duplicate this is
 */
record AddRequest(
        JobRef ref,
        Payload payload,
        long scheduledTime,
        JobOptions options,
        boolean isNamed,
        List<Dependency> dependencies,
        Retention retention,
        Predicate<JobState> leavesAlone,
        Optional<Unique> unique,
        Found found) {

    /** The state of the job whose duplicate a request is. */
    enum Found {
        /** The request is for a job of its own, or has dependencies: links that are written cannot be taken back. */
        UNKNOWN,
        /** The job is to run, or a job of its sequence waits for it. */
        OUTSTANDING,
        /** The job has ended. */
        ENDED;

        private static Found of(JobRow row) {
            boolean isOutstanding = row.state() != JobState.FINISHED || SequencePlace.of(row) != null;
            return isOutstanding ? OUTSTANDING : ENDED;
        }
    }

    /** The transaction has changed jobs with the unique key since the search, which has to be repeated. */
    static final class DuplicateChangedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        DuplicateChangedException() {
            super(null, null, false, false);
        }

        /** {@return the repeated addition, if this is the cause of an error; otherwise the error} */
        static <T> CompletableFuture<T> repeat(Throwable error, Supplier<CompletableFuture<T>> addition) {
            return RootCauses.of(error) instanceof DuplicateChangedException
                    ? addition.get()
                    : CompletableFuture.failedFuture(error);
        }
    }

    /**
     * {@return the request for a job}
     *
     * @param token identifies the place in a sequence
     * @param descent how many jobs one after the other led to it
     */
    static <D> AddRequest of(JobRef ref, NewJob<D> job, PayloadCodec codec, long now, LongSupplier token, int descent) {
        Payload payload = codec.encode(job.type(), ref.id(), job.data());
        long time = job.at().map(ScheduledTimes::toSeconds).orElse(ScheduledTimes.NONE);
        JobKeys keys = hasKeys(job) ? keys(job, codec, now, token) : JobKeys.NONE;
        return new AddRequest(
                ref,
                payload,
                time,
                JobOptions.withOptions(job.priority(), now, job.retry().orElse(null), keys)
                        .descended(descent),
                job.id().isPresent(),
                job.dependencies(),
                job.type().retention(),
                job::leavesAlone,
                job.unique(),
                Found.UNKNOWN);
    }

    /** {@return whether a job has a deadline, a batch, tags, headers, or any of the keys in its options} */
    static boolean hasKeys(NewJob<?> job) {
        return job.limitKey().isPresent()
                || job.turnKey().isPresent()
                || job.unique().isPresent()
                || job.sequence().isPresent()
                || job.startBefore().isPresent()
                || job.batch().isPresent()
                || !job.tags().isEmpty()
                || !job.headers().isEmpty();
    }

    private static <D> JobKeys keys(NewJob<D> job, PayloadCodec codec, long now, LongSupplier token) {
        return new JobKeys(
                job.limitKey().orElse(null),
                job.turnKey().orElse(null),
                job.unique().map(rule -> key(rule, job, codec, now)).orElse(null),
                job.sequence()
                        .map(key -> new SequencePlace(key, token.getAsLong(), job.passesFailure(), false))
                        .orElse(null),
                job.startBefore().map(Instant::toEpochMilli).orElse(JobKeys.NO_DEADLINE),
                job.batch().map(BatchPlace::ofMember).orElse(null),
                job.tags(),
                job.headers());
    }

    private static <D> UniqueKey key(Unique rule, NewJob<D> job, PayloadCodec codec, long now) {
        return rule.key()
                .map(text -> new UniqueKey(text, false, now))
                .orElseGet(() -> new UniqueKey(codec.digest(job.type(), "unique", job.data()), true, now));
    }

    /**
     * {@return the request for the job of which this job is a duplicate, if it is one}
     *
     * @param owner the job that has the unique key
     */
    Optional<AddRequest> onto(Optional<UniqueIndex.Owner> owner) {
        return owner.filter(this::isDuplicateOf)
                .map(job -> onto(
                        job.ref(), Objects.requireNonNull(job.row().options().unique()), Found.of(job.row())));
    }

    private boolean isDuplicateOf(UniqueIndex.Owner owner) {
        Unique rule = unique.orElseThrow();
        UniqueKey theirs = Objects.requireNonNull(owner.row().options().unique());
        UniqueKey own = Objects.requireNonNull(options.unique());
        return Found.of(owner.row()) == Found.OUTSTANDING
                || rule.isWhileKept()
                || rule.period()
                        .filter(period -> Moments.isWithin(theirs.since(), own.since(), millis(period)))
                        .isPresent();
    }

    /** {@return a period in whole milliseconds, rounded up: none is empty} */
    private static long millis(Duration period) {
        return period.plusNanos(999_999).toMillis();
    }

    private void requireUnchanged(Optional<JobRow> present) {
        boolean isUnchanged = found == Found.UNKNOWN
                || present.filter(row -> Found.of(row) == found
                                && Objects.equals(row.options().unique(), options.unique()))
                        .isPresent();
        if (!isUnchanged) {
            throw new DuplicateChangedException();
        }
    }

    /** {@return a request for a job in a batch} */
    AddRequest in(BatchPlace place) {
        return new AddRequest(
                ref,
                payload,
                scheduledTime,
                options.in(place),
                isNamed,
                dependencies,
                retention,
                leavesAlone,
                unique,
                found);
    }

    /** {@return a request for the job that an earlier request with the same unique key adds} */
    AddRequest onto(AddRequest earlier) {
        return onto(earlier.ref(), Objects.requireNonNull(earlier.options().unique()), Found.OUTSTANDING);
    }

    private AddRequest onto(JobRef other, UniqueKey key, Found state) {
        boolean replaces = unique.orElseThrow().isReplacing();
        return new AddRequest(
                other,
                payload,
                scheduledTime,
                options.unique(key),
                false, // the job exists, or another request names it
                dependencies,
                retention,
                replaces ? leavesAlone : any -> true,
                unique,
                dependencies.isEmpty() ? state : Found.UNKNOWN);
    }

    /**
     * {@return the job's row after the addition, linked to its dependencies, or empty if it does not change}
     *
     * @param before the job's row, if it exists
     * @param expected what the row of a job that does not exist yet has to name
     */
    CompletableFuture<Optional<JobRow>> rowAfter(
            Transaction tx,
            Optional<JobRow> before,
            ExpectedJob expected,
            DependencyLinker dependencyLinker,
            LinkResult linkResult) {
        CompletableFuture<Optional<JobRow>> withoutLinks = rowAfter(tx, before, expected);
        if (linkResult.isNone() && linkResult.graphs().isEmpty()) {
            return withoutLinks;
        }
        return withoutLinks
                .thenCompose(after -> {
                    JobRow member = dependencyLinker.inGraphs(
                            tx, ref, after.or(() -> before).orElseThrow(), linkResult);
                    return linkResult.isNone()
                            ? CompletableFuture.completedFuture(member)
                            : dependencyLinker.linked(tx, ref, member, linkResult, retention);
                })
                .thenApply(Optional::of);
    }

    /** {@return what the row of the job has to name if it does not exist yet; read concurrently with its row} */
    CompletableFuture<ExpectedJob> expected(Transaction tx) {
        return isNamed ? ReleaseOutbox.expected(tx, ref) : CompletableFuture.completedFuture(ExpectedJob.NONE);
    }

    /**
     * {@return the job's row without links, or empty if it does not change: then no write causes conflicts}
     *
     * @throws DuplicateChangedException if the job has changed since the search for duplicates
     */
    CompletableFuture<Optional<JobRow>> rowAfter(Transaction tx, Optional<JobRow> before, ExpectedJob expected) {
        requireUnchanged(before);
        if (before.isEmpty()) {
            if (isNamed) {
                ReleaseOutbox.addReadConflict(tx, ref);
            }
            return CompletableFuture.completedFuture(Optional.of(newRow(expected)));
        }
        if (leavesAlone(before)) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        requireRole(before.get());
        return isUnchanged(tx, before.get())
                .thenApply(unchanged -> unchanged ? Optional.empty() : Optional.of(added(before.get())));
    }

    /**
     * A closing job is no member: it would wait for itself, or for a batch that waits for it. A member that has not
     * ended is counted, so it cannot become a closing job, and a closing job that waits belongs to its batch.
     */
    private void requireRole(JobRow before) {
        BatchPlace is = before.options().keys().batch();
        BatchPlace wanted = options.keys().batch();
        if (is == null || wanted == null) {
            return;
        }
        boolean hasEnded = before.state() == JobState.FINISHED;
        if (is.isClosing() && !wanted.isClosing()) {
            throw new BatchRoleException("Job " + ref + " closes batch " + is.batch()
                    + ", so it cannot be a member of batch " + wanted.batch() + ". Add the member with another id.");
        }
        if (wanted.isClosing() && !hasEnded && !is.equals(wanted)) {
            throw new BatchRoleException("Job " + ref + (is.isClosing() ? " closes batch " : " is a member of batch ")
                    + is.batch() + " and has not ended, so it cannot close batch " + wanted.batch()
                    + ". Give the closing job another id.");
        }
    }

    /** {@return whether the job exists and stays as it is} */
    boolean leavesAlone(Optional<JobRow> before) {
        return before.map(JobRow::state).filter(leavesAlone).isPresent();
    }

    /** {@return the result of the addition, from the row before it to the written row, if any} */
    AddResult result(Optional<JobRow> before, Optional<JobRow> after) {
        AddResult.Change change = after.isEmpty() ? AddResult.Change.UNCHANGED : change(before);
        return new AddResult(ref.id(), change, givenData(before, after));
    }

    private AddResult.GivenData givenData(Optional<JobRow> before, Optional<JobRow> after) {
        if (after.isEmpty() && leavesAlone(before)) {
            return AddResult.GivenData.DISCARDED;
        }
        if (before.map(JobRow::state).filter(JobState.RUNNING::equals).isEmpty()) {
            return AddResult.GivenData.STORED;
        }
        return replacesDataOf(before.get()) ? AddResult.GivenData.NEXT_RUN : AddResult.GivenData.DISCARDED;
    }

    /** {@return whether a running job gets the data for its next run, because this is its duplicate and says so} */
    private boolean replacesDataOf(JobRow running) {
        UniqueKey own = options.unique();
        UniqueKey theirs = running.options().unique();
        return own != null
                && theirs != null
                && own.isSameAs(theirs)
                && unique.filter(Unique::isReplacing).isPresent();
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

    /** {@return the row of a job that did not exist, with the waiter group of its dependents} */
    private JobRow newRow(ExpectedJob expected) {
        return JobRow.added(payload, scheduledTime, options.withDependencies(expected.dependencies()));
    }

    private CompletableFuture<Boolean> isUnchanged(ReadTransaction tx, JobRow row) {
        if (row.scheduledTime() != scheduledTime) {
            return CompletableFuture.completedFuture(false);
        }
        if (row.state() == JobState.RUNNING) {
            boolean isFlagged = row.resubmit() && row.options().priority() == options.priority();
            return isFlagged && replacesDataOf(row)
                    ? row.payload().holdsReplacement(tx, ref, payload)
                    : CompletableFuture.completedFuture(isFlagged);
        }
        return row.state() == JobState.PENDING && row.options().hasSameOptionsAs(options)
                ? row.payload().holds(tx, ref, payload)
                : CompletableFuture.completedFuture(false);
    }

    /**
     * {@return the row of an existing job after {@code add}} The data of a running job belongs to its processor, unless
     * a duplicate replaces it; only the next run changes.
     */
    private JobRow added(JobRow row) {
        if (row.state() == JobState.RUNNING) {
            JobRow flagged = row.resubmitted(scheduledTime)
                    .withOptions(row.options().prioritised(options).inBatchOf(options));
            return replacesDataOf(row) ? flagged.with(payload.replacing()) : flagged;
        }
        JobRow again = row.enqueued(payload, scheduledTime);
        JobOptions asked = again.options().withOptions(options);
        return again.withOptions(row.state() == JobState.PENDING ? asked.withEnqueueTimeOf(row.options()) : asked);
    }
}
