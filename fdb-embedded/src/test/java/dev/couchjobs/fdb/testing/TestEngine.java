package dev.couchjobs.fdb.testing;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.util.List;

/** The engines that a contract runs on. */
public enum TestEngine {
    /** The embedded engine in memory. */
    IN_MEMORY {
        @Override
        public Database open() {
            return EmbeddedDatabase.openInMemory();
        }
    },
    /** The embedded engine with its data on disk, each database in a directory of its own. */
    ON_DISK {
        @Override
        public Database open() {
            return EmbeddedDatabase.open(TemporaryDirectories.fresh());
        }
    },
    /** A running FoundationDB cluster. */
    CLUSTER {
        @Override
        public Database open() {
            return TestCluster.open();
        }
    };

    /**
     * {@return the cluster in the profiles fdb and docker, which set {@code -Dengine=cluster}, else the embedded ones,
     * or with {@code -Dengine=disk} that on disk alone}
     */
    public static List<TestEngine> selected() {
        return switch (System.getProperty("engine", "embedded")) {
            case "cluster" -> List.of(CLUSTER);
            case "disk" -> List.of(ON_DISK);
            default -> List.of(IN_MEMORY, ON_DISK);
        };
    }

    /** Opens a database with default options. Two that are opened may or may not share their contents. */
    public abstract Database open();
}
