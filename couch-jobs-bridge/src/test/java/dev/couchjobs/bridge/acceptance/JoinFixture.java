package dev.couchjobs.bridge.acceptance;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.TestCluster;
import java.util.Optional;
import java.util.UUID;

/** What the nodes of a test share. */
sealed interface JoinFixture extends AutoCloseable {

    /** {@return its name in the configuration} */
    String name();

    /** {@return the engine of a node in the configuration} */
    String engine(String node);

    /** {@return an open database that the bridges use; empty if they open their own} */
    default Optional<Database> database() {
        return Optional.empty();
    }

    @Override
    default void close() {}

    /** Replicated documents. */
    record ByReplication() implements JoinFixture {
        @Override
        public String name() {
            return "replication";
        }

        @Override
        public String engine(String node) {
            return "directory = 'data-" + node + "'";
        }
    }

    /** One database, in this process. */
    record ByDatabase(Database open) implements JoinFixture {
        ByDatabase() {
            this(EmbeddedDatabase.openInMemory());
        }

        @Override
        public String name() {
            return "foundationdb";
        }

        @Override
        public String engine(String node) {
            return "cluster_file = 'not-read.cluster'";
        }

        @Override
        public Optional<Database> database() {
            return Optional.of(open);
        }

        @Override
        public void close() {
            open.close();
        }
    }

    /** A FoundationDB cluster, under a prefix of the test. */
    record ByCluster(String prefix) implements JoinFixture {
        ByCluster() {
            this("acceptance-" + UUID.randomUUID());
        }

        @Override
        public String name() {
            return "foundationdb";
        }

        @Override
        public String engine(String node) {
            return "cluster_file = '%s'\nprefix = '%s'".formatted(TestCluster.file(), prefix);
        }
    }
}
