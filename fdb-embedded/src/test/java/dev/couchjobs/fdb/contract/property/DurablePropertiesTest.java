package dev.couchjobs.fdb.contract.property;

import dev.couchjobs.fdb.testing.TestEngine;
import net.jqwik.api.Group;

/** The properties on the embedded engine with its data on disk. */
@SuppressWarnings("ClassCanBeStatic") // Groups of properties are found only if they are not.
class DurablePropertiesTest {

    @Group
    class RandomTransactions extends RandomTransactionsContract {
        @Override
        TestEngine engine() {
            return TestEngine.ON_DISK;
        }
    }

    @Group
    class ExactConflicts extends ExactConflictsContract {
        @Override
        TestEngine engine() {
            return TestEngine.ON_DISK;
        }
    }
}
