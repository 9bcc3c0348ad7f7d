package dev.couchjobs.fdb.contract.property;

import dev.couchjobs.fdb.testing.TestEngine;
import org.junit.jupiter.api.Nested;

/** The properties on the embedded engine with its data on disk. */
class DurablePropertiesTest {

    @Nested
    class RandomTransactions extends RandomTransactionsContract {
        @Override
        TestEngine engine() {
            return TestEngine.ON_DISK;
        }
    }

    @Nested
    class ExactConflicts extends ExactConflictsContract {
        @Override
        TestEngine engine() {
            return TestEngine.ON_DISK;
        }
    }
}
