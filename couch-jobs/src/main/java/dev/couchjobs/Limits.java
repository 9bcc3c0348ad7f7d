package dev.couchjobs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.verbs.LimitVerbs;
import dev.couchjobs.internal.verbs.TurnVerbs;
import dev.couchjobs.internal.verbs.TypeLimitVerbs;
import java.util.concurrent.CompletableFuture;

/**
 * Limits of how many jobs run at once or start in a period, in all processes ({@link CouchJobs#limits}): of a whole
 * type, or of a type with one {@linkplain NewJob#limitKey limit key}. They also give weights to {@linkplain
 * NewJob#turnKey turn keys}. Safe for use by several threads.
 *
 * <p>A job with a limit key that is due takes a slot of its key, or waits for one: the highest priority first, and the
 * oldest first within a priority. It keeps the slot until it has ended, or until a pause before its next attempt
 * begins. The transaction that ends it passes the slot on. So the limit is exact, also if processes die (rfc/020).
 *
 * <p>The first limit of a whole type keeps processes with a version before such limits from writing (rfc/021).
 *
 * <p>A change of a limit takes effect with its commit. Jobs that have a slot keep it if the limit is lowered. A key
 * that is {@linkplain #pause paused} keeps its limit, which applies again after the pause.
 */
public final class Limits {
    private final LimitVerbs verbs;
    private final TypeLimitVerbs typeVerbs;
    private final TurnVerbs turnVerbs;

    Limits(Instance instance) {
        verbs = new LimitVerbs(instance);
        typeVerbs = new TypeLimitVerbs(instance);
        turnVerbs = new TurnVerbs(instance);
    }

    /**
     * Sets the limit of the limit keys of a type without a limit of their own.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param max how many jobs with one limit key run at once, at least 1
     * @return a future that completes when the limit is set and, with a database, when all jobs that it lets run are
     *     admitted; a transaction admits at most 100, and the others are admitted as jobs with their key end
     * @throws IllegalArgumentException if the limit is less than 1
     */
    public CompletableFuture<Void> set(TransactionContext context, JobType<?, ?> type, int max) {
        return verbs.set(context, type, max);
    }

    /**
     * Sets the limit of one limit key.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param limitKey the limit key
     * @param max how many jobs with the key run at once, at least 1
     * @return a future that completes as that of {@link #set(TransactionContext, JobType, int)}
     * @throws IllegalArgumentException if the limit is less than 1, or the key is not valid
     */
    public CompletableFuture<Void> set(TransactionContext context, JobType<?, ?> type, String limitKey, int max) {
        return verbs.set(context, type, limitKey, max);
    }

    /**
     * Removes that limit: keys without a limit of their own are then unlimited.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @return a future that completes as that of {@link #set(TransactionContext, JobType, int)}
     */
    public CompletableFuture<Void> clear(TransactionContext context, JobType<?, ?> type) {
        return verbs.clear(context, type);
    }

    /**
     * Removes the limit of one limit key: that of each key of the type, if there is one, applies to it.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param limitKey the limit key
     * @return a future that completes as that of {@link #set(TransactionContext, JobType, int)}
     * @throws IllegalArgumentException if the key is not valid
     */
    public CompletableFuture<Void> clear(TransactionContext context, JobType<?, ?> type, String limitKey) {
        return verbs.clear(context, type, limitKey);
    }

    /**
     * The limit of a limit key and its use.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param limitKey the limit key
     * @return the limit that applies to the key, and how many slots are taken
     * @throws IllegalArgumentException if the key is not valid
     */
    public CompletableFuture<LimitInfo> get(ReadTransactionContext context, JobType<?, ?> type, String limitKey) {
        return verbs.get(context, type, limitKey);
    }

    /**
     * Pauses a limit key in all processes: from this commit on nothing claims its jobs, until {@link #resume}. A job
     * that is claimed runs to its end; so does one that a worker has claimed ahead of a free slot. Jobs can be added,
     * changed and removed, and wait; their deadlines hold. A key that is paused already stays so. Jobs of other keys
     * and without a key go on. Claims of the type take the slots of the key's jobs that are not claimed, each once.
     *
     * <p>The first pause of a key keeps processes with a version before such pauses from using the instance (rfc/020).
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param limitKey the limit key
     * @return completes when the key is paused
     * @throws IllegalArgumentException if the key is not valid
     */
    public CompletableFuture<Void> pause(TransactionContext context, JobType<?, ?> type, String limitKey) {
        return verbs.pause(context, type, limitKey);
    }

    /**
     * Ends the pause of a limit key: as many of its jobs as its limit allows can be claimed. A key that is not paused
     * stays as it is.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param limitKey the limit key
     * @return a future that completes when the pause has ended and, with a database, when all jobs that may run are
     *     admitted; a transaction admits at most 100, and the others are admitted as jobs with their key end
     * @throws IllegalArgumentException if the key is not valid
     */
    public CompletableFuture<Void> resume(TransactionContext context, JobType<?, ?> type, String limitKey) {
        return verbs.resume(context, type, limitKey);
    }

    /**
     * One page of the paused limit keys of a type. It conflicts with no other transaction.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param page which page, where oldest first means in the order of the keys
     * @return the page
     * @throws IllegalArgumentException if the page is of another listing
     */
    public CompletableFuture<Page<String>> pausedKeys(
            ReadTransactionContext context, JobType<?, ?> type, PageRequest page) {
        return verbs.pausedKeys(context, type, page);
    }

    /**
     * Limits how many jobs with one limit key start in a period, in all processes. A claim is a start. Time is that of
     * the database, so the clocks of processes do not count; a job counts at the time at which its claim reads, up to
     * five seconds before it commits. Jobs beyond the rate wait in the order of their key, and cost claims nothing.
     * Jobs of other keys go on. The key keeps its limit and its pause. Claims of jobs of the key commit one after the
     * other, each with up to 100 jobs; workers claim no jobs of the type ahead of free slots.
     *
     * <p>Another rate than the present one forgets what has started. The first rate of a key keeps processes with a
     * version before such rates from using the instance (rfc/030).
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param limitKey the limit key
     * @param rate the rate
     * @return completes when the rate is set
     * @throws IllegalArgumentException if the key is not valid
     */
    public CompletableFuture<Void> setRate(TransactionContext context, JobType<?, ?> type, String limitKey, Rate rate) {
        return verbs.setRate(context, type, limitKey, rate);
    }

    /**
     * Removes the rate of a limit key: as many of its jobs as its limit allows can be claimed.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param limitKey the limit key
     * @return a future that completes as that of {@link #resume}
     * @throws IllegalArgumentException if the key is not valid
     */
    public CompletableFuture<Void> clearRate(TransactionContext context, JobType<?, ?> type, String limitKey) {
        return verbs.clearRate(context, type, limitKey);
    }

    /**
     * Limits how many jobs of a type run at once, with and without limit keys. The jobs that wait cost claims nothing
     * more. Claims commit one after the other, each with up to 100 jobs, below a limit of 16, and until jobs have ended
     * that were claimed before it was set. Workers claim jobs ahead of free slots only while less than three
     * quarters of the limit are used. Versions of the library that do not know shards of limits can no longer write.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param max how many jobs of the type run at once, at least 1
     * @return completes when the limit is set; if more jobs run, none is claimed until fewer do
     * @throws IllegalArgumentException if the limit is less than 1
     */
    public CompletableFuture<Void> setTotal(TransactionContext context, JobType<?, ?> type, int max) {
        return typeVerbs.setTotal(context, type, max);
    }

    /**
     * Removes that limit.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @return completes when it is done
     */
    public CompletableFuture<Void> clearTotal(TransactionContext context, JobType<?, ?> type) {
        return typeVerbs.clearTotal(context, type);
    }

    /**
     * Limits how many jobs of a type start in a period. Time is that of the database, so the clocks of processes do not
     * count; a job counts at the time at which its claim reads, up to five seconds before it commits. Another rate than
     * the present one forgets what has started. Claims commit one after the other, each with up to 100 jobs, below a
     * rate of 16 starts, or a burst of 16. Workers claim jobs ahead of free slots only while less than three
     * quarters of the starts or the burst are used. Versions of the library that do not know shards of limits can no
     * longer write.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param rate the rate
     * @return completes when the rate is set
     */
    public CompletableFuture<Void> setRate(TransactionContext context, JobType<?, ?> type, Rate rate) {
        return typeVerbs.setRate(context, type, rate);
    }

    /**
     * Removes the rate of a type.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @return completes when it is done
     */
    public CompletableFuture<Void> clearRate(TransactionContext context, JobType<?, ?> type) {
        return typeVerbs.clearRate(context, type);
    }

    /**
     * The limits of a whole type. In a transaction of the caller's that also writes, this conflicts with every change
     * of a job of that type, unless given {@code tx.snapshot()}.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @return the limits, and how many jobs run
     */
    public CompletableFuture<TypeLimitInfo> ofType(ReadTransactionContext context, JobType<?, ?> type) {
        return typeVerbs.get(context, type);
    }

    /**
     * Sets the weight of a turn key: how many jobs it starts in its turn. Claims after the commit respect it.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param turnKey the turn key
     * @param weight the weight, 1 to 1,000; keys without one have 1
     * @return completes when the weight is set
     * @throws IllegalArgumentException if the weight or the key is not valid
     */
    public CompletableFuture<Void> setWeight(
            TransactionContext context, JobType<?, ?> type, String turnKey, int weight) {
        return turnVerbs.setWeight(context, type, turnKey, weight);
    }

    /**
     * Removes the weight of a turn key, which then has weight 1.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param turnKey the turn key
     * @return completes when it is done
     * @throws IllegalArgumentException if the key is not valid
     */
    public CompletableFuture<Void> clearWeight(TransactionContext context, JobType<?, ?> type, String turnKey) {
        return turnVerbs.clearWeight(context, type, turnKey);
    }

    /**
     * The weight of a turn key.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param turnKey the turn key
     * @return how many jobs the key starts in its turn
     * @throws IllegalArgumentException if the key is not valid
     */
    public CompletableFuture<Integer> getWeight(ReadTransactionContext context, JobType<?, ?> type, String turnKey) {
        return turnVerbs.getWeight(context, type, turnKey);
    }
}
