package dev.couchjobs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.internal.accept.Acceptors;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.verbs.FinishTransaction;
import dev.couchjobs.internal.verbs.FinishTransaction.FinishRequest;
import dev.couchjobs.internal.verbs.LogVerbs;
import dev.couchjobs.internal.verbs.ProcessorVerbs;
import dev.couchjobs.internal.views.PayloadCodec;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The verbs of a processor, which claims jobs and works on them by itself ({@link CouchJobs#processor}). A
 * {@link Worker} calls them for its handlers.
 *
 * <p>All verbs but {@code accept} and {@code claim} take a claim. They fail with {@link JobHaltedException} if another
 * processor may hold the job by now, and then they change nothing; {@code updateAll} says so for each claim. The
 * contract of contexts, futures and errors is that of {@link CouchJobs}. Safe for use by several threads.
 */
public final class Processor {
    private final Acceptors acceptors;
    private final ProcessorVerbs processorVerbs;
    private final LogVerbs logVerbs;
    private final FinishTransaction finishTransaction;
    private final PayloadCodec codec;

    Processor(Instance instance, Acceptors acceptors, LogVerbs logVerbs) {
        this.acceptors = acceptors;
        this.logVerbs = logVerbs;
        processorVerbs = new ProcessorVerbs(instance);
        finishTransaction = new FinishTransaction(instance);
        codec = instance.codec();
    }

    /**
     * Claims a job that is due, and waits without limit until there is one (RFC 007, {@code accept/1}).
     *
     * @param type the type of job wanted
     * @param <D> the type of the data
     * @return the claimed job; never empty
     */
    public <D> CompletableFuture<Optional<Job<D>>> accept(JobType<D, ?> type) {
        return accept(type, AcceptOptions.defaults());
    }

    /**
     * Claims a job (RFC 007, {@code accept/2}). A watch wakes a call that waits; nothing is polled. The calls that wait
     * in one process are served in their order, many by one transaction.
     *
     * <p>A claim holds until it is finished, or until a monitor finds that its processor has been silent for the type's
     * activity timeout: call {@code update} well before that. From the first call on, this instance also monitors the
     * running jobs of the type, as {@link Maintenance#monitor} does.
     *
     * <p>Cancelling the future ends the wait and releases a claim that was being made.
     *
     * @param type the type of job wanted
     * @param options which jobs, and how long to wait
     * @param <D> the type of the data
     * @return the claimed job, or empty when the time is up
     */
    public <D> CompletableFuture<Optional<Job<D>>> accept(JobType<D, ?> type, AcceptOptions options) {
        return acceptors.accept(type, options);
    }

    /**
     * Claims up to a number of jobs in one transaction, for a processor that runs several at once. It waits for the
     * first, and takes with it the others that are there. Otherwise it is like {@link #accept(JobType, AcceptOptions)}.
     * A job on which a claim has expired is claimed alone: if it ends its process again, no other claim expires.
     *
     * @param type the type of job wanted
     * @param max the largest number of jobs, from 1 to 100
     * @param options which jobs, and how long to wait
     * @param <D> the type of the data
     * @return the claimed jobs; none when the time is up
     * @throws IllegalArgumentException if the number is not from 1 to 100
     */
    public <D> CompletableFuture<List<Job<D>>> accept(JobType<D, ?> type, int max, AcceptOptions options) {
        return acceptors.accept(type, max, options);
    }

    /**
     * Returns the claim that holds a job with a lock: for a process that did not make the claim, and knows only this of
     * it, such as a server whose clients hold claims. All verbs take the result.
     *
     * <p>In a transaction of the caller's the read conflicts with the end of the claim. A failure does not cancel that
     * transaction, so that a caller may look for several claims in one; the verbs that take a claim do cancel it.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @param lock the {@linkplain Job#lock lock} of the claim
     * @param <D> the type of the data
     * @return the claim as it is now; fails with {@link JobHaltedException} if the lock does not hold the job
     */
    public <D> CompletableFuture<Job<D>> claim(
            ReadTransactionContext context, JobType<D, ?> type, String jobId, UUID lock) {
        return processorVerbs.claim(context, type, jobId, Objects.requireNonNull(lock, "lock"));
    }

    /**
     * Returns a claim as {@link #claim(ReadTransactionContext, JobType, String, UUID)} does, without reading its data:
     * for a process that only renews or ends it. {@link Job#data} of the result throws {@link IllegalStateException}.
     *
     * @param context a database, or a transaction to join
     * @param claim what names the claim
     * @return the claim as it is now; fails with {@link JobHaltedException} if the lock does not hold the job
     */
    public CompletableFuture<Job<?>> claim(ReadTransactionContext context, ClaimKey claim) {
        return processorVerbs.claim(context, claim);
    }

    /**
     * Renews claims on jobs of any types in one transaction. A lost claim does not prevent the others: unlike {@link
     * #update} this is no fence, and does not cancel a transaction of the caller's.
     *
     * @param context a database, or a transaction to join
     * @param claims up to 400 claims
     * @return what was done for each claim, in their order
     * @throws IllegalArgumentException if there are more
     */
    public CompletableFuture<List<Renewal>> updateAll(TransactionContext context, Collection<? extends Job<?>> claims) {
        return processorVerbs.updateAll(context, claims);
    }

    /**
     * Renews claims of other processes in one transaction, as {@link #updateAll} does, without reading their data.
     *
     * @param context a database, or a transaction to join
     * @param claims up to 400 claims
     * @return why each claim is not renewed, in their order; empty for those that are
     * @throws IllegalArgumentException if there are more
     */
    public CompletableFuture<List<Optional<JobHaltedException>>> renewAll(
            TransactionContext context, Collection<ClaimKey> claims) {
        return processorVerbs.renewAll(context, claims);
    }

    /**
     * Renews a claim (RFC 007, {@code update/2}). In a transaction of the caller's it is also the fence: the other
     * writes of that transaction commit only if the claim still holds.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param <D> the type of the data
     * @return the claim as it is now; fails with {@link JobHaltedException} if it is lost
     */
    public <D> CompletableFuture<Job<D>> update(TransactionContext context, Job<D> job) {
        return processorVerbs.update(context, job, null);
    }

    /**
     * Renews a claim and replaces the data of its job (RFC 007, {@code update/3}). Subscribers receive an event.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param data the new data
     * @param <D> the type of the data
     * @return the claim as it is now; fails with {@link JobHaltedException} if it is lost
     * @throws PayloadException if the data cannot be stored
     */
    public <D> CompletableFuture<Job<D>> update(TransactionContext context, Job<D> job, D data) {
        return processorVerbs.update(context, job, Objects.requireNonNull(data, "data"));
    }

    /**
     * Ends the work on a job (RFC 007, {@code finish/2}): it is finished, or pending again if that was asked for.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param <D> the type of the data
     * @return completes when it is done; fails with {@link JobHaltedException} if the claim is lost, and then nothing
     *     was changed
     */
    public <D> CompletableFuture<Void> finish(TransactionContext context, Job<D> job) {
        return processorVerbs.finish(context, job, null);
    }

    /**
     * Ends the work on a job and replaces its data (RFC 007, {@code finish/3}). {@link #finishWithResult} keeps a
     * result beside the data.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param data the final data
     * @param <D> the type of the data
     * @return completes when it is done; fails with {@link JobHaltedException} if the claim is lost, and then nothing
     *     was changed
     * @throws PayloadException if the data cannot be stored
     */
    public <D> CompletableFuture<Void> finish(TransactionContext context, Job<D> job, D data) {
        return processorVerbs.finish(context, job, Objects.requireNonNull(data, "data"));
    }

    /**
     * Ends the work on a job and keeps its result, for {@link CouchJobs#result}.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job, which says what its result is and how long it is kept
     * @param job the claim
     * @param result the result
     * @param <R> the type of the result
     * @return completes when it is done; fails with {@link JobHaltedException} if the claim is lost, and then nothing
     *     was changed
     * @throws PayloadException if the result cannot be stored
     * @throws IllegalArgumentException if the claim is on a job of another type
     */
    public <R> CompletableFuture<Void> finishWithResult(
            TransactionContext context, JobType<?, R> type, Job<?> job, R result) {
        if (!type.name().equals(job.type().name())) {
            throw new IllegalArgumentException("The claim is on a job of type " + job.type() + ", not " + type + ".");
        }
        Disposition done =
                new Disposition.Succeeded(codec.encodeResult(type, job.id(), Objects.requireNonNull(result, "result")));
        return finishTransaction
                .end(context, new FinishRequest(type, job, done))
                .thenAccept(ended -> {});
    }

    /**
     * Ends an attempt that has failed. By the {@link RetryPolicy} of the job, or else of its type, it is pending again
     * after a pause, or has failed for good and is a dead letter. An error that is
     * {@linkplain JobType#doNotRetryOn not worth another attempt} makes it one at once.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param error what went wrong; its class, its message and the first lines of its stack trace are kept
     * @return what became of the job, pending or finished; fails with {@link JobHaltedException} if the claim is lost,
     *     and then nothing was changed
     */
    public CompletableFuture<JobState> fail(TransactionContext context, Job<?> job, Throwable error) {
        Disposition failed = Disposition.failed(job.type(), Objects.requireNonNull(error, "error"));
        return finishTransaction.end(context, new FinishRequest(job, failed)).thenApply(ended -> ended.state());
    }

    /**
     * Ends an attempt that has failed elsewhere, such as in a program in another language: as {@link
     * #fail(TransactionContext, Job, Throwable)} does, with the error as text.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param error what went wrong; its first 4,000 characters are kept
     * @param isRetried whether another attempt may succeed; if not, the job has failed for good
     * @return what became of the job, pending or finished; fails with {@link JobHaltedException} if the claim is lost,
     *     and then nothing was changed
     */
    public CompletableFuture<JobState> fail(TransactionContext context, Job<?> job, String error, boolean isRetried) {
        Disposition failed = new Disposition.Failed(Objects.requireNonNull(error, "error"), isRetried);
        return finishTransaction.end(context, new FinishRequest(job, failed)).thenApply(ended -> ended.state());
    }

    /**
     * Ends an attempt without success or failure: the job is pending again, to be attempted after a pause.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param pause from zero to 36,500 days; stored in whole seconds, rounded up
     * @return completes when it is done; fails with {@link JobHaltedException} if the claim is lost, and then nothing
     *     was changed
     * @throws IllegalArgumentException if the pause is negative or too long
     */
    public CompletableFuture<Void> snooze(TransactionContext context, Job<?> job, Duration pause) {
        return finishTransaction
                .end(context, new FinishRequest(job, new Disposition.Snoozed(pause)))
                .thenAccept(ended -> {});
    }

    /**
     * Releases a job that its processor does not end, for example because it shuts down: the job is pending again, at
     * its scheduled time. That is no failure: it is counted apart ({@link ReleaseReason#SHUTDOWN}), and a job that was
     * released as often as its type allows fails.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @return completes when it is done; fails with {@link JobHaltedException} if the claim is lost, and then nothing
     *     was changed
     */
    public CompletableFuture<Void> release(TransactionContext context, Job<?> job) {
        return finishTransaction
                .end(context, new FinishRequest(job, Disposition.Released.AT_SHUTDOWN))
                .thenAccept(ended -> {});
    }

    /**
     * Puts a job back on which no work has begun, for example because its caller has gone: the job is as before the
     * claim, with its deadline. That is no attempt, and counts nowhere.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @return completes when it is done; fails with {@link JobHaltedException} if the claim is lost, and then nothing
     *     was changed
     */
    public CompletableFuture<Void> putBack(TransactionContext context, Job<?> job) {
        return finishTransaction
                .end(context, new FinishRequest(job, new Disposition.PutBack()))
                .thenAccept(ended -> {});
    }

    /**
     * Ends a job on purpose, neither as a success nor as a failure. It is not tried again.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param reason why; kept with the job
     * @return completes when it is done; fails with {@link JobHaltedException} if the claim is lost, and then nothing
     *     was changed
     */
    public CompletableFuture<Void> cancel(TransactionContext context, Job<?> job, String reason) {
        return finishTransaction
                .end(
                        context,
                        new FinishRequest(job, new Disposition.Cancelled(Objects.requireNonNull(reason, "reason"))))
                .thenAccept(ended -> {});
    }

    /**
     * Runs a job once more, at its present scheduled time (RFC 007, {@code resubmit/2}): the job is pending again as
     * soon as it is finished, or at once if this claim has finished it already.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param <D> the type of the data
     * @return the claim as it is now; fails with {@link JobHaltedException} if the job is gone or another's
     */
    public <D> CompletableFuture<Job<D>> resubmit(TransactionContext context, Job<D> job) {
        return processorVerbs.resubmit(context, job, OptionalLong.empty(), null);
    }

    /**
     * Runs a job once more, at another time (RFC 007, {@code resubmit/3}).
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param scheduledTime the time, stored as the first whole second that is not before it
     * @param <D> the type of the data
     * @return the claim as it is now; fails with {@link JobHaltedException} if the job is gone or another's
     * @throws IllegalArgumentException if the time is before 1970 or after 9999
     */
    public <D> CompletableFuture<Job<D>> resubmit(TransactionContext context, Job<D> job, Instant scheduledTime) {
        return processorVerbs.resubmit(
                context, job, OptionalLong.of(ScheduledTimes.given("A job is scheduled", scheduledTime)), null);
    }

    /**
     * Runs a job once more, at another time and with other data. The data is stored only if this claim has finished the
     * job already; while the job runs, its processor sets the data with {@code update} or {@code finish}.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param scheduledTime the time, stored as the first whole second that is not before it
     * @param data the new data
     * @param <D> the type of the data
     * @return the claim as it is now; fails with {@link JobHaltedException} if the job is gone or another's
     * @throws PayloadException if the data cannot be stored
     * @throws IllegalArgumentException if the time is before 1970 or after 9999
     */
    public <D> CompletableFuture<Job<D>> resubmit(
            TransactionContext context, Job<D> job, Instant scheduledTime, D data) {
        OptionalLong time = OptionalLong.of(ScheduledTimes.given("A job is scheduled", scheduledTime));
        return processorVerbs.resubmit(context, job, time, Objects.requireNonNull(data, "data"));
    }

    /**
     * Returns whether the job runs once more after this claim (RFC 007, {@code is_resubmitted}), as of the verb that
     * returned the claim.
     *
     * @param job the claim
     * @return whether it will be pending again when it is finished
     */
    public boolean isResubmitted(Job<?> job) {
        return job.isResubmitted();
    }

    /**
     * Appends an entry to the log of a job. Subscribers of the job receive an event. It does not renew the claim. The
     * last 1,000 entries of a job are kept, until the job is removed.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param entry what to write: anything that Jackson can write, up to 65,536 bytes as JSON
     * @return the entry's number; fails with {@link JobHaltedException} if the claim is lost, and then nothing was
     *     written
     * @throws PayloadException if the entry cannot be stored
     */
    public CompletableFuture<Long> log(TransactionContext context, Job<?> job, Object entry) {
        return logVerbs.append(context, job, LogEntry.Kind.LOG, entry);
    }

    /**
     * Appends an entry from which the next attempt may continue: like {@link #log}, and the last checkpoint is kept for
     * as long as the job, however many entries follow.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param checkpoint what to write: anything that Jackson can write, up to 65,536 bytes as JSON
     * @return the entry's number; fails with {@link JobHaltedException} if the claim is lost, and then nothing was
     *     written
     * @throws PayloadException if the checkpoint cannot be stored
     */
    public CompletableFuture<Long> checkpoint(TransactionContext context, Job<?> job, Object checkpoint) {
        return logVerbs.append(context, job, LogEntry.Kind.CHECKPOINT, checkpoint);
    }

    /**
     * Replaces the progress of a job. Subscribers of the job receive an event. It does not renew the claim.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param done how much is done
     * @param total of how much; 0 if that is not known
     * @param text what is being done; may be empty
     * @return completes when it is done; fails with {@link JobHaltedException} if the claim is lost, and then nothing
     *     was written
     * @throws IllegalArgumentException if these make no {@link JobProgress}
     */
    public CompletableFuture<Void> progress(
            TransactionContext context, Job<?> job, long done, long total, String text) {
        return logVerbs.progress(context, job, done, total, text);
    }
}
