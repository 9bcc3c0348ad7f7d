package dev.couchjobs.fdb.contract.property;

import dev.couchjobs.fdb.testing.TestEngine;
import org.junit.jupiter.api.Nested;

/** The properties on the embedded engine in memory. */
class InMemoryPropertiesTest {

    @Nested
    class RandomTransactions extends RandomTransactionsContract {
        @Override
        TestEngine engine() {
            return TestEngine.IN_MEMORY;
        }
    }

    @Nested
    class ExactConflicts extends ExactConflictsContract {
        @Override
        TestEngine engine() {
            return TestEngine.IN_MEMORY;
        }
    }
}
