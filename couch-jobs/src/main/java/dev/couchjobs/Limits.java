package dev.couchjobs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.verbs.LimitVerbs;
import java.util.concurrent.CompletableFuture;

/**
 * Limits of how many jobs of a type with one {@linkplain NewJob#limitKey limit key} run at once, in all processes
 * ({@link CouchJobs#limits}). Safe for use by several threads.
 *
 * <p>A job that is due takes a slot of its key, or waits for one: the highest priority first, and the oldest first
 * within a priority. It keeps the slot until it has ended, or until a pause before its next attempt begins. The
 * transaction that ends it passes the slot on. So the limit is exact, also if processes die (rfc/020).
 *
 * <p>A change of a limit takes effect with its commit. Jobs that have a slot keep it if the limit is lowered.
 */
public final class Limits {
    private final LimitVerbs verbs;

    Limits(Instance instance) {
        verbs = new LimitVerbs(instance);
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
}
