package dev.couchjobs.fdb.contract.property;

import dev.couchjobs.fdb.testing.TestEngine;
import net.jqwik.api.Group;

/** The properties on a running FoundationDB cluster: see the profiles fdb and docker. */
@SuppressWarnings("ClassCanBeStatic") // Groups of properties are found only if they are not.
class PropertiesClusterTest {

    @Group
    class RandomTransactions extends RandomTransactionsContract {
        @Override
        TestEngine engine() {
            return TestEngine.CLUSTER;
        }
    }

    @Group
    class CommittedHistories extends CommittedHistoriesContract {
        @Override
        TestEngine engine() {
            return TestEngine.CLUSTER;
        }
    }
}
