package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Database;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.data.Keyspace;

/**
 * What all parts of one {@code CouchJobs} work with.
 *
 * @param name tells this instance from others wherever it says who did something
 * @param database where the jobs are
 * @param environment clock, timers and randomness
 * @param keyspace the keys
 * @param transactions runs what the parts do
 * @param codec writes and reads the data of jobs
 */
public record Instance(
        String name,
        Database database,
        Environment environment,
        Keyspace keyspace,
        Transactions transactions,
        PayloadCodec codec) {}
