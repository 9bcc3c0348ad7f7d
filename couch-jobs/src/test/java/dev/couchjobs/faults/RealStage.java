package dev.couchjobs.faults;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDB;
import dev.couchjobs.Environment;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.util.concurrent.CompletableFuture;

/** A database with threads of its own, in real time. */
final class RealStage implements Stage {
    private final Database database;
    private final Environment environment = Environment.system();

    private RealStage(Database database) {
        this.database = database;
    }

    /** The embedded engine, empty and in memory. */
    static Stage inMemory() {
        return new RealStage(EmbeddedDatabase.openInMemory());
    }

    /** A running FoundationDB cluster, which {@code FDB_CLUSTER_FILE} names. */
    static Stage onCluster() {
        String clusterFile = System.getenv("FDB_CLUSTER_FILE");
        if (clusterFile == null) {
            throw new IllegalStateException("Set FDB_CLUSTER_FILE to the cluster file of a FoundationDB to test");
        }
        return new RealStage(FDB.selectAPIVersion(730).open(clusterFile));
    }

    @Override
    public Database database() {
        return database;
    }

    @Override
    public Environment environment() {
        return environment;
    }

    @Override
    public <T> T await(CompletableFuture<T> future) {
        return future.join();
    }

    @Override
    public void close() {
        database.close();
    }
}
