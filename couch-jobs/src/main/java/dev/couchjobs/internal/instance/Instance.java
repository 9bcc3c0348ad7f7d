package dev.couchjobs.internal.instance;

import com.apple.foundationdb.Database;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.views.PayloadCodec;

/**
 * What all parts of one {@code CouchJobs} work with.
 *
 * @param name identifies this instance in attempts, leases and logs
 * @param database where the jobs are
 * @param environment clock, timers and randomness
 * @param clock what is stored for later goes by this clock
 * @param keyspace the keys
 * @param transactions runs what the parts do
 * @param codec writes and reads the data of jobs
 */
public record Instance(
        String name,
        Database database,
        Environment environment,
        AgreedClock clock,
        Keyspace keyspace,
        Transactions transactions,
        PayloadCodec codec) {

    public Instance(
            String name,
            Database database,
            Environment environment,
            Keyspace keyspace,
            Transactions transactions,
            PayloadCodec codec) {
        this(name, database, environment, new AgreedClock(environment.clock()), keyspace, transactions, codec);
    }

    /** {@return the same, by other transactions} */
    public Instance with(Transactions others) {
        return new Instance(name, database, environment, clock, keyspace, others, codec);
    }
}
