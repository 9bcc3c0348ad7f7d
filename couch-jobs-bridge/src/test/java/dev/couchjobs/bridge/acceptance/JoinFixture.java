package dev.couchjobs.bridge.acceptance;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.TestCluster;
import java.util.Optional;
import java.util.UUID;

/** What the nodes of a test have in common. */
sealed interface JoinFixture extends AutoCloseable {

    /** {@return as the configuration calls it} */
    String name();

    /** {@return where a node's jobs are, in the words of the configuration} */
    String engine(String node);

    /** {@return a database that is open, if bridges are not to open their own} */
    default Optional<Database> database() {
        return Optional.empty();
    }

    @Override
    default void close() {}

    /** Documents only. */
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

    /** A FoundationDB cluster, under a prefix of the test's own. */
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
