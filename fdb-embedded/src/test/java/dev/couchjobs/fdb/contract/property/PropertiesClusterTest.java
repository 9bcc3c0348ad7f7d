package dev.couchjobs.fdb.contract.property;

import dev.couchjobs.fdb.testing.TestEngine;
import org.junit.jupiter.api.Nested;

/** The properties on a running FoundationDB cluster: see the profiles fdb and docker. */
class PropertiesClusterTest {

    @Nested
    class RandomTransactions extends RandomTransactionsContract {
        @Override
        TestEngine engine() {
            return TestEngine.CLUSTER;
        }
    }

    @Nested
    class CommittedHistories extends CommittedHistoriesContract {
        @Override
        TestEngine engine() {
            return TestEngine.CLUSTER;
        }
    }
}
