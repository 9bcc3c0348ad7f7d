package dev.couchjobs.contract;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.TemporaryDirectories;
import dev.couchjobs.fdb.testing.TestCluster;
import org.junit.jupiter.api.Nested;

/** Moves from an embedded database to a running FoundationDB cluster: see the profiles fdb and docker. */
class MoveClusterTest {

    @Nested
    class FromDisk extends MoveContract {
        @Override
        Database openSource() {
            return EmbeddedDatabase.open(TemporaryDirectories.fresh());
        }

        @Override
        Database openTarget() {
            return TestCluster.open();
        }
    }
}
