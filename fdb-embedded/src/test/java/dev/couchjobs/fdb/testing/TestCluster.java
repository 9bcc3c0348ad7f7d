package dev.couchjobs.fdb.testing;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDB;
import java.nio.file.Path;
import java.util.Optional;
import java.util.ServiceLoader;

/** The FoundationDB cluster that the suites of profiles fdb and docker are for. It needs the native client. */
public final class TestCluster {
    private static final int API_VERSION = 730;
    /** Twice the five seconds that a transaction may take. */
    private static final long OLD_ENOUGH = 10_000_000;

    private TestCluster() {}

    /** {@return the cluster file that {@code FDB_CLUSTER_FILE} names, or else that of the cluster a provider runs} */
    public static Path file() {
        return Optional.ofNullable(System.getenv("FDB_CLUSTER_FILE"))
                .map(Path::of)
                .or(() -> Provided.FILE)
                .orElseThrow(() -> new IllegalStateException(
                        "Set FDB_CLUSTER_FILE to the cluster file of a FoundationDB to test, or use profile docker"));
    }

    /** Opens it. */
    public static Database open() {
        Path clusterFile = file();
        Database database = FDB.selectAPIVersion(API_VERSION).open(clusterFile.toString());
        awaitFirstSeconds(database);
        return database;
    }

    /**
     * In the first seconds of its life a cluster knows of no version that is too old; the suites expect that it does.
     */
    private static void awaitFirstSeconds(Database database) {
        while (database.read(tx -> tx.getReadVersion().join()) < OLD_ENOUGH) {
            Polling.pause();
        }
    }

    /** The first suite that asks has it started, once for all in this JVM. */
    private static final class Provided {
        private static final Optional<Path> FILE =
                ServiceLoader.load(ClusterProvider.class).findFirst().map(ClusterProvider::start);
    }
}
