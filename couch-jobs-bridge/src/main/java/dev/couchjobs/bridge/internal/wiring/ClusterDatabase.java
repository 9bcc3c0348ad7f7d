package dev.couchjobs.bridge.internal.wiring;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDB;
import dev.couchjobs.bridge.internal.BridgeThreads;
import java.nio.file.Path;

/** Opens clusters: the one place of the bridge that needs FoundationDB's native client. */
final class ClusterDatabase {
    private static final int API_VERSION = 730;

    private ClusterDatabase() {}

    static Database open(Path clusterFile) {
        try {
            return FDB.selectAPIVersion(API_VERSION).open(clusterFile.toString(), BridgeThreads.blocking());
        } catch (UnsatisfiedLinkError | NoClassDefFoundError e) {
            throw new IllegalStateException(
                    "There is no FoundationDB client on this machine, which a cluster file needs: install the package"
                            + " foundationdb-clients, or name a directory in place of the cluster file.",
                    e);
        }
    }
}
