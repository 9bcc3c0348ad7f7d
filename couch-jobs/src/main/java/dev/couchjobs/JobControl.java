package dev.couchjobs;

import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.verbs.ControlVerbs;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * What operators do to jobs ({@link CouchJobs#control}). The contract of contexts, futures and errors is that of
 * {@link CouchJobs}. A job whose row cannot be decoded is not changed: the future fails with
 * {@link UndecodableRowException}. Safe for use by several threads.
 */
public final class JobControl {
    private final ControlVerbs verbs;

    JobControl(Instance instance) {
        verbs = new ControlVerbs(instance);
    }

    /**
     * Cancels a pending or running job: it is finished as {@link Outcome#CANCELLED}, and is not tried again. Its row
     * and its attempts are kept as the {@link Retention} of its type says. Callers that wait for its result get {@link
     * JobCancelledException}.
     *
     * <p>The handler of a running job is told at once: {@link JobContext#isCancelled} is true, its thread is
     * interrupted or its stage cancelled, and its next write fails with {@link JobHaltedException}. Nothing that it
     * tries to write after this commit takes effect. A job that was asked to run once more does not.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @param reason why; the first 4,000 characters are kept with the job
     * @return whether the job was pending or running; if not, nothing was changed
     */
    public CompletableFuture<Boolean> cancel(
            TransactionContext context, JobType<?, ?> type, String jobId, String reason) {
        return verbs.cancel(context, type, jobId, reason);
    }

    /**
     * Lets a pending job run as soon as it can: a scheduled time, or what is left of a pause after a failure or a
     * snooze, no longer counts. Its attempts and failures stay. A job that waits for other jobs, or for a slot of its
     * limit key, goes on waiting.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @return whether the job was pending; if not, nothing was changed
     */
    public CompletableFuture<Boolean> runNow(TransactionContext context, JobType<?, ?> type, String jobId) {
        return verbs.runNow(context, type, jobId);
    }

    /**
     * Gives a pending job another scheduled time. Its attempts and failures stay.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @param time the time before which the job is not to run, stored as the first whole second that is not before it
     * @return whether the job was pending; if not, nothing was changed
     * @throws IllegalArgumentException if the time is before 1970 or after 9999
     */
    public CompletableFuture<Boolean> reschedule(
            TransactionContext context, JobType<?, ?> type, String jobId, Instant time) {
        return verbs.reschedule(context, type, jobId, time);
    }

    /**
     * Gives a pending or running job another {@linkplain NewJob#priority priority}. That of a running job counts if it
     * runs again.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @param priority any number, also a negative one
     * @return whether the job was pending or running; if not, nothing was changed
     */
    public CompletableFuture<Boolean> reprioritise(
            TransactionContext context, JobType<?, ?> type, String jobId, int priority) {
        return verbs.reprioritise(context, type, jobId, priority);
    }

    /**
     * Selects all jobs of a type that meet a condition, for verbs that change them together.
     *
     * @param type the type of the jobs
     * @param condition whether a job is one of them; called in transactions, possibly several times for a job, so it
     *     must be quick and free of effects
     * @param <D> the type of the jobs' data
     * @param <R> the type of their results
     * @return the selection
     */
    public <D, R> JobSelection<D, R> select(JobType<D, R> type, Predicate<? super JobInfo<D, R>> condition) {
        return new JobSelection<>(verbs, type, condition);
    }
}
