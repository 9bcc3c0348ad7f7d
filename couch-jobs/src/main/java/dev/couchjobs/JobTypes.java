package dev.couchjobs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.retention.TypeRetention;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.types.TypeTimeouts;
import dev.couchjobs.internal.verbs.PauseVerbs;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * The types of an instance, their activity timeouts, retentions and pauses ({@link CouchJobs#types}). The contract of
 * contexts, futures and errors is that of {@link CouchJobs}. Safe for use by several threads.
 */
public final class JobTypes {
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final PauseVerbs pauses;
    private final RandomGenerator random;

    JobTypes(Instance instance) {
        keyspace = instance.keyspace();
        transactions = instance.transactions();
        pauses = new PauseVerbs(instance);
        random = instance.environment().random();
    }

    /**
     * Sets the activity timeout of a type (RFC 007, {@code set_type_timeout}): how long a processor may be silent
     * before its job is given to another. Monitors in all processes follow a change within the timeout that they know.
     * Without this call the first job that is added stores {@link JobType#activityTimeout}; once a timeout is stored,
     * only this verb changes it.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param timeout a whole number of seconds, from one second to 3,650 days
     * @return completes when it is done
     * @throws IllegalArgumentException if the timeout is anything else
     */
    public CompletableFuture<Void> setTypeTimeout(TransactionContext context, JobType<?, ?> type, Duration timeout) {
        TypeTimeouts.check(timeout);
        return transactions.named("set timeout of", type.name()).run(context, tx -> {
            CompletableFuture<?> set = TypeTimeouts.set(tx, keyspace.type(type.name()), timeout);
            return CompletableFuture.allOf(set, new LayoutRow(keyspace).writeIfAbsent(tx));
        });
    }

    /**
     * The activity timeout of a type (RFC 007, {@code get_type_timeout}).
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @return the timeout, or empty if the type has none
     */
    public CompletableFuture<Optional<Duration>> getTypeTimeout(ReadTransactionContext context, JobType<?, ?> type) {
        return transactions
                .named("get timeout of", type.name())
                .read(context, tx -> TypeTimeouts.get(tx, keyspace.type(type.name())));
    }

    /**
     * Clears the activity timeout of a type: its running jobs are no longer monitored, until a job is added to the type
     * or its timeout is set. The jobs stay.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @return completes when it is done
     */
    public CompletableFuture<Void> clearTypeTimeout(TransactionContext context, JobType<?, ?> type) {
        return transactions.named("clear timeout of", type.name()).run(context, tx -> {
            TypeTimeouts.clear(tx, keyspace.type(type.name()));
            return CompletableFuture.completedFuture(null);
        });
    }

    /**
     * Stores the retention of a type, which counts in place of {@link JobType#retention} in all processes: for each job
     * that ends after this commit, whatever ends it. A job that has ended already keeps the time of its removal. The
     * first retention of an instance keeps processes with a version before stored retentions from writing (rfc/008).
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param retention its times are whole numbers of seconds; with {@link Retention#archived} jobs stay until a
     *     process {@linkplain Maintenance#archive archives} the type
     * @return completes when it is done
     * @throws IllegalArgumentException if a time is no whole number of seconds
     */
    public CompletableFuture<Void> setTypeRetention(
            TransactionContext context, JobType<?, ?> type, Retention retention) {
        TypeRetention.check(retention);
        return storeRetention("set retention of", context, type, Optional.of(retention));
    }

    /**
     * The stored retention of a type.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @return the retention, or empty if {@link JobType#retention} counts
     */
    public CompletableFuture<Optional<Retention>> getTypeRetention(ReadTransactionContext context, JobType<?, ?> type) {
        return transactions
                .named("get retention of", type.name())
                .read(context, tx -> TypeRetention.get(tx, keyspace.type(type.name())));
    }

    /**
     * Clears the stored retention of a type: {@link JobType#retention} counts for jobs that end after this commit.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @return completes when it is done
     */
    public CompletableFuture<Void> clearTypeRetention(TransactionContext context, JobType<?, ?> type) {
        return storeRetention("clear retention of", context, type, Optional.empty());
    }

    private CompletableFuture<Void> storeRetention(
            String verb, TransactionContext context, JobType<?, ?> type, Optional<Retention> retention) {
        TypeKeys keys = keyspace.type(type.name());
        return transactions
                .named(verb, type.name())
                .run(context, tx -> TypeRetention.set(tx, keyspace, keys, retention, random.nextLong()));
    }

    /**
     * Pauses a type in all processes: from this commit on nothing claims its jobs, until {@link #resume}. A job that is
     * claimed runs to its end; so does one that a worker has claimed ahead of a free slot. Jobs can be added, changed
     * and removed, and wait. A type that is paused already gets the new reason. The
     * first pause of an instance keeps processes with a version before pauses from writing (rfc/021).
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param reason why; the first 4,000 characters are kept
     * @return completes when it is done
     */
    public CompletableFuture<Void> pause(TransactionContext context, JobType<?, ?> type, String reason) {
        return pauses.pause(context, type, reason);
    }

    /**
     * Ends the pause of a type: its jobs can be claimed from this commit on. A type that is not paused stays as it is.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @return completes when it is done
     */
    public CompletableFuture<Void> resume(TransactionContext context, JobType<?, ?> type) {
        return pauses.resume(context, type);
    }

    /**
     * The pause of a type.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @return the pause, or empty if the type is not paused
     */
    public CompletableFuture<Optional<TypePause>> getPause(ReadTransactionContext context, JobType<?, ?> type) {
        return pauses.get(context, type);
    }

    /**
     * The names of the types that have an activity timeout.
     *
     * @param context a database, or a transaction to join
     * @return the names, in order
     */
    public CompletableFuture<List<String>> getTypes(ReadTransactionContext context) {
        return transactions.named("list", "types").read(context, tx -> TypeTimeouts.types(tx, keyspace));
    }
}
