package dev.couchjobs.fdb.contract.property;

import dev.couchjobs.fdb.testing.TestEngine;
import net.jqwik.api.Group;

/** The properties on the embedded engine in memory. */
@SuppressWarnings("ClassCanBeStatic") // Groups of properties are found only if they are not.
class InMemoryPropertiesTest {

    @Group
    class RandomTransactions extends RandomTransactionsContract {
        @Override
        TestEngine engine() {
            return TestEngine.IN_MEMORY;
        }
    }

    @Group
    class ExactConflicts extends ExactConflictsContract {
        @Override
        TestEngine engine() {
            return TestEngine.IN_MEMORY;
        }
    }
}
