package dev.couchjobs.fdb.contract;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.contract.history.ConcurrentHistoriesContract;
import dev.couchjobs.fdb.contract.property.ExactConflictsContract;
import dev.couchjobs.fdb.contract.property.RandomTransactionsContract;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import net.jqwik.api.Group;
import org.junit.jupiter.api.Nested;

/** The contract on the embedded engine in memory. */
@SuppressWarnings("ClassCanBeStatic") // Groups of properties are found only if they are not.
class InMemoryFdbTest {

    interface InMemory extends EngineProvider {
        @Override
        default Database open() {
            return EmbeddedDatabase.openInMemory();
        }
    }

    @Nested
    class Reads extends ReadsContract implements InMemory {}

    @Nested
    class Writes extends WritesContract implements InMemory {}

    @Nested
    class ReadYourWrites extends ReadYourWritesContract implements InMemory {}

    @Nested
    class MergedReads extends MergedReadsContract implements InMemory {}

    @Nested
    class Ranges extends RangesContract implements InMemory {}

    @Nested
    class Selectors extends SelectorsContract implements InMemory {}

    @Nested
    class Snapshot extends SnapshotContract implements InMemory {}

    @Nested
    class Conflicts extends ConflictsContract implements InMemory {}

    @Nested
    class SelectorConflicts extends SelectorConflictsContract implements InMemory {}

    @Nested
    class DeclaredConflicts extends DeclaredConflictsContract implements InMemory {}

    @Nested
    class AtomicMutations extends AtomicMutationsContract implements InMemory {}

    @Nested
    class Versionstamps extends VersionstampContract implements InMemory {}

    @Nested
    class Watches extends WatchesContract implements InMemory {}

    @Nested
    class Retries extends RetryLoopsContract implements InMemory {}

    @Nested
    class Limits extends LimitsContract implements InMemory {}

    @Nested
    class Options extends OptionsContract implements InMemory {}

    @Nested
    class Lifecycle extends LifecycleContract implements InMemory {}

    @Nested
    class Sizes extends SizesContract implements InMemory {}

    @Nested
    class TuplesAndDirectories extends TuplesAndDirectoriesContract implements InMemory {}

    @Nested
    class Multithreaded extends MultithreadedContract implements InMemory {}

    @Nested
    class ConcurrentHistories extends ConcurrentHistoriesContract implements InMemory {}

    @Group
    class RandomTransactions extends RandomTransactionsContract implements InMemory {}

    @Group
    class CommittedHistories extends ExactConflictsContract implements InMemory {}
}
