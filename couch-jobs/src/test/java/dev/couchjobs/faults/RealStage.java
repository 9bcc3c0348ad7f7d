package dev.couchjobs.faults;

import com.apple.foundationdb.Database;
import dev.couchjobs.Environment;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.TestCluster;
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
        return new RealStage(TestCluster.open());
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
    public int laterStepsAtOnce() {
        return 4;
    }

    @Override
    public void close() {
        database.close();
    }
}
