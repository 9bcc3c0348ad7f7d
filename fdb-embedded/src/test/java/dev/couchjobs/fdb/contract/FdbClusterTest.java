package dev.couchjobs.fdb.contract;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.contract.history.ConcurrentHistoriesContract;
import dev.couchjobs.fdb.contract.property.CommittedHistoriesContract;
import dev.couchjobs.fdb.contract.property.RandomTransactionsContract;
import dev.couchjobs.fdb.testing.TestCluster;
import net.jqwik.api.Group;
import org.junit.jupiter.api.Nested;

/** The contract on a running FoundationDB cluster: see the profiles fdb and docker. */
@SuppressWarnings("ClassCanBeStatic") // Groups of properties are found only if they are not.
class FdbClusterTest {

    interface OnCluster extends EngineProvider {
        @Override
        default Database open() {
            return TestCluster.open();
        }
    }

    @Nested
    class Reads extends ReadsContract implements OnCluster {}

    @Nested
    class Writes extends WritesContract implements OnCluster {}

    @Nested
    class ReadYourWrites extends ReadYourWritesContract implements OnCluster {}

    @Nested
    class MergedReads extends MergedReadsContract implements OnCluster {}

    @Nested
    class Ranges extends RangesContract implements OnCluster {}

    @Nested
    class Selectors extends SelectorsContract implements OnCluster {}

    @Nested
    class Snapshot extends SnapshotContract implements OnCluster {}

    @Nested
    class Conflicts extends ConflictsContract implements OnCluster {}

    @Nested
    class SelectorConflicts extends SelectorConflictsContract implements OnCluster {}

    @Nested
    class DeclaredConflicts extends DeclaredConflictsContract implements OnCluster {}

    @Nested
    class AtomicMutations extends AtomicMutationsContract implements OnCluster {}

    @Nested
    class Versionstamps extends VersionstampContract implements OnCluster {}

    @Nested
    class Watches extends WatchesContract implements OnCluster {}

    @Nested
    class Retries extends RetryLoopsContract implements OnCluster {}

    @Nested
    class Limits extends LimitsContract implements OnCluster {}

    @Nested
    class Options extends OptionsContract implements OnCluster {}

    @Nested
    class Lifecycle extends LifecycleContract implements OnCluster {}

    @Nested
    class Sizes extends SizesContract implements OnCluster {}

    @Nested
    class TuplesAndDirectories extends TuplesAndDirectoriesContract implements OnCluster {}

    @Nested
    class Multithreaded extends MultithreadedContract implements OnCluster {}

    @Nested
    class ConcurrentHistories extends ConcurrentHistoriesContract implements OnCluster {}

    @Group
    class RandomTransactions extends RandomTransactionsContract implements OnCluster {}

    @Group
    class CommittedHistories extends CommittedHistoriesContract implements OnCluster {}
}
