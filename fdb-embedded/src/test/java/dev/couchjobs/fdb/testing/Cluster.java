package dev.couchjobs.fdb.testing;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDB;

/** The running FoundationDB cluster that the suites of profile fdb are for. It needs the native client. */
public final class Cluster {
    private static final int API_VERSION = 730;
    /** Twice the five seconds that a transaction may take. */
    private static final long OLD_ENOUGH = 10_000_000;

    private Cluster() {}

    /** Opens the cluster that {@code FDB_CLUSTER_FILE} names. */
    public static Database open() {
        String clusterFile = System.getenv("FDB_CLUSTER_FILE");
        if (clusterFile == null) {
            throw new IllegalStateException("Set FDB_CLUSTER_FILE to the cluster file of a FoundationDB to test");
        }
        Database database = FDB.selectAPIVersion(API_VERSION).open(clusterFile);
        awaitFirstSeconds(database);
        return database;
    }

    /** In the first seconds of its life a cluster knows of no version that is too old; the suites expect that it does. */
    private static void awaitFirstSeconds(Database database) {
        while (database.read(tx -> tx.getReadVersion().join()) < OLD_ENOUGH) {
            Thread.onSpinWait();
        }
    }
}
