package dev.couchjobs.internal.instance;

import com.apple.foundationdb.Database;
import dev.couchjobs.Environment;
import dev.couchjobs.JobsListener;
import dev.couchjobs.internal.observe.MiddlewareChain;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.views.PayloadCodec;
import dev.couchjobs.loop.GuardedExecutor;
import dev.couchjobs.loop.Observers;
import dev.couchjobs.loop.WatchLooks;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The objects that all parts of one {@code CouchJobs} share.
 *
 * @param name identifies this instance in attempts, leases and logs
 * @param database the database that stores the jobs
 * @param environment clock, timers and randomness
 * @param clock computes the times that are stored for later
 * @param keyspace the keys
 * @param transactions runs the transactions of the parts
 * @param codec writes and reads the data of jobs
 * @param listeners receive what the parts do
 * @param middleware is called around additions and attempts
 * @param looks bound the waits for watches
 */
public record Instance(
        String name,
        Database database,
        Environment environment,
        AgreedClock clock,
        Keyspace keyspace,
        Transactions transactions,
        PayloadCodec codec,
        Observers<JobsListener> listeners,
        MiddlewareChain middleware,
        WatchLooks looks) {
    /** Makes an instance without listeners and middleware. */
    public Instance(
            String name,
            Database database,
            Environment environment,
            AgreedClock clock,
            Keyspace keyspace,
            Transactions transactions,
            PayloadCodec codec) {
        this(
                name,
                database,
                environment,
                clock,
                keyspace,
                transactions,
                codec,
                new Observers<>(List.of(), environment),
                MiddlewareChain.NONE,
                looks(environment, database, transactions));
    }

    /** {@return looks at the keys that parts of an instance watch} */
    public static WatchLooks looks(Environment environment, Database database, Transactions transactions) {
        Transactions named = transactions.named("look", "watches");
        return new WatchLooks(environment, body -> named.read(database, body));
    }

    /** {@return the executor of the database, which refuses nothing} */
    public Executor executor() {
        return GuardedExecutor.of(database, environment);
    }

    /** {@return a copy with other transactions} */
    public Instance with(Transactions replacement) {
        return new Instance(
                name, database, environment, clock, keyspace, replacement, codec, listeners, middleware, looks);
    }
}
