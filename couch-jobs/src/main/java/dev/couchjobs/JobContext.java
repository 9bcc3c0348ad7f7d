package dev.couchjobs;

import com.apple.foundationdb.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A handler's view of its job. The worker renews the claim. Transactions made by {@link #run} and {@link #finish}
 * commit only while the claim is held; use them for all writes.
 *
 * <p>Safe for use by several threads. Not to be used after the handler has returned, or its stage completed.
 *
 * @param <D> the type of the job's data
 */
public interface JobContext<D> {

    /** {@return the claim, for the verbs of {@link CouchJobs}} */
    Job<D> job();

    /**
     * The job's data.
     *
     * @return the data
     * @throws PayloadException if what is stored cannot be read; let it pass, and the job fails for good
     */
    D data();

    /** {@return the id of the job} */
    default String id() {
        return job().id();
    }

    /** {@return which attempt this is, from 1; attempts that did not fail, such as snoozed ones, are not counted} */
    int attempt();

    /** {@return the number of this claim; the claims on a job are numbered from 1 and never twice alike} */
    long claim();

    /** {@return the firing time of the job, if a schedule added it ({@link Schedule})} */
    default Optional<Instant> firingTime() {
        return job().firingTime();
    }

    /** {@return by when the handler has to be done, if its type has a time limit, by this process's clock} */
    Optional<Instant> deadline();

    /**
     * Whether the job is no longer this handler's: it was cancelled or removed, or given to another because this
     * process was silent for too long, or its time limit is up, or the worker closes and waits no longer. A blocking
     * handler is interrupted as well. Whatever it still tries to write is refused.
     *
     * @return whether to stop working on it
     */
    boolean isHalted();

    /**
     * Whether the job is no longer this handler's because another caller has {@linkplain JobControl#cancel cancelled}
     * it, so that no other attempt follows. Known when {@link #isHalted} is.
     *
     * @return whether the job was cancelled
     */
    boolean isCancelled();

    /**
     * Runs a transaction that commits only while the job is this handler's. It is retried as
     * {@link com.apple.foundationdb.Database#run} does, and counts as a heartbeat. Heartbeats of the job never make
     * it fail. Blocks.
     *
     * <p>The body may run several times. What it does outside the transaction, such as a call to another service, then
     * happens several times as well: do it before the transaction, or under an idempotency key such as {@link #id()}.
     *
     * @param body what to do in the transaction; may run several times, and has 4.5 seconds
     * @param <T> the type of what it returns
     * @return what the body returned
     * @throws JobHaltedException if the job is no longer this handler's; nothing was written
     * @throws TransactionTooLongException if the body took too long in several tries; nothing was written. See {@link
     *     WorkerBuilder#longTransactionTries}
     */
    <T extends @Nullable Object> T run(Function<? super Transaction, T> body);

    /**
     * Runs a transaction that commits only while the job is this handler's, without blocking.
     *
     * @param body what to do in the transaction; may run several times, and has 4.5 seconds
     * @param <T> the type of what it returns
     * @return what the body returned; fails as {@link #run} does
     */
    <T extends @Nullable Object> CompletableFuture<T> runAsync(
            Function<? super Transaction, ? extends CompletableFuture<T>> body);

    /**
     * Ends the job by a transaction: its effects, the jobs that follow, and the end of this job with its result are one
     * commit. However often that commit has to be tried, they happen once. What the handler returns afterwards does not
     * count. Blocks.
     *
     * @param body what to do in the transaction; may run several times, and has 4.5 seconds. Returns the job's result,
     *     or null for none
     * @param <R> the type of the result
     * @return the result
     * @throws JobHaltedException if the job is no longer this handler's; nothing was written
     * @throws TransactionTooLongException if the body took too long in several tries; nothing was written
     * @throws PayloadException if the result cannot be stored; nothing was written
     */
    <R extends @Nullable Object> R finish(Function<? super Transaction, R> body);

    /**
     * Ends the job by a transaction, as {@link #finish} does, without blocking.
     *
     * @param body what to do in the transaction; may run several times. Gives the job's result, or null for none
     * @param <R> the type of the result
     * @return the result; fails as {@code finish} does
     */
    <R extends @Nullable Object> CompletableFuture<R> finishAsync(
            Function<? super Transaction, ? extends CompletableFuture<R>> body);

    /**
     * Writes an entry into the job's log, in a transaction of its own; see {@link Processor#log}, which also joins one
     * of the handler's. Blocks.
     *
     * @param entry what to write: anything that Jackson can write, up to 65,536 bytes as JSON
     * @throws JobHaltedException if the job is no longer this handler's; nothing was written
     * @throws PayloadException if the entry cannot be stored
     */
    void log(Object entry);

    /**
     * Writes down where the next attempt may go on from, in a transaction of its own; see {@link Processor#checkpoint},
     * which also joins one of the handler's. Blocks.
     *
     * @param checkpoint what to write: anything that Jackson can write, up to 65,536 bytes as JSON
     * @throws JobHaltedException if the job is no longer this handler's; nothing was written
     * @throws PayloadException if the checkpoint cannot be stored
     */
    void checkpoint(Object checkpoint);

    /**
     * The last checkpoint, of this attempt or of one before it. Blocks.
     *
     * @param type the class that it was written as, or one that reads the same JSON
     * @param <T> that class
     * @return the checkpoint, or empty if there is none
     * @throws PayloadException if it cannot be read so
     */
    <T> Optional<T> lastCheckpoint(Class<T> type);

    /**
     * Says how far the job is, in place of what was said before, in a transaction of its own. Blocks.
     *
     * @param done how much is done
     * @param total of how much; 0 if that is not known
     * @param text what is being done; may be empty
     * @throws JobHaltedException if the job is no longer this handler's; nothing was written
     * @throws IllegalArgumentException if these make no {@link JobProgress}
     */
    void progress(long done, long total, String text);

    /**
     * Puts the job off: when the handler returns, it waits again and is not due before that time has passed. This
     * attempt does not count as one that failed. A handler that fails afterwards fails nevertheless.
     *
     * @param pause how long, from zero to 36,500 days
     * @throws IllegalArgumentException if it is anything else
     */
    void snooze(Duration pause);

    /**
     * Gives the job up: when the handler returns, it is finished as {@link Outcome#CANCELLED}. A handler that fails
     * afterwards fails nevertheless.
     *
     * @param reason why
     */
    void cancel(String reason);
}
