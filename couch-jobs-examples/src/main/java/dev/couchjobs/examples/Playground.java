package dev.couchjobs.examples;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.fdb.DatabaseLocation;
import dev.couchjobs.fdb.Databases;
import java.util.UUID;

/**
 * Where an example runs: in memory, or on the cluster that {@code FDB_CLUSTER_FILE} names, there below a prefix of its
 * own that is cleared at the end. A program of yours has one prefix for its jobs and its data, which stays.
 */
final class Playground implements AutoCloseable {
    private final Database database = Databases.open(DatabaseLocation.ofEnvironment());
    private final Subspace root =
            new Subspace(Tuple.from("couch-jobs-examples", UUID.randomUUID().toString()));
    private final CouchJobs jobs = newJobs();

    Database database() {
        return database;
    }

    CouchJobs jobs() {
        return jobs;
    }

    /** {@return another instance, as another process has it} */
    CouchJobs newJobs() {
        return CouchJobs.builder(database).subspace(root.get("jobs")).build();
    }

    /** {@return where an example's own data goes} */
    Subspace data(String name) {
        return root.get(name);
    }

    @Override
    public void close() {
        jobs.close();
        database.run(tx -> {
            tx.clear(root.range());
            return tx;
        });
        database.close();
    }
}
