package dev.couchjobs.fdb.contract;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.contract.history.ConcurrentHistoriesContract;
import dev.couchjobs.fdb.contract.property.ExactConflictsContract;
import dev.couchjobs.fdb.contract.property.RandomTransactionsContract;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.TemporaryDirectories;
import net.jqwik.api.Group;
import org.junit.jupiter.api.Nested;

/** The contract on the embedded engine with its data on disk, each database in a directory of its own. */
@SuppressWarnings("ClassCanBeStatic") // Groups of properties are found only if they are not.
class DurableFdbTest {

    interface OnDisk extends EngineProvider {
        @Override
        default Database open() {
            return EmbeddedDatabase.open(TemporaryDirectories.fresh());
        }
    }

    @Nested
    class Reads extends ReadsContract implements OnDisk {}

    @Nested
    class Writes extends WritesContract implements OnDisk {}

    @Nested
    class ReadYourWrites extends ReadYourWritesContract implements OnDisk {}

    @Nested
    class MergedReads extends MergedReadsContract implements OnDisk {}

    @Nested
    class Ranges extends RangesContract implements OnDisk {}

    @Nested
    class Selectors extends SelectorsContract implements OnDisk {}

    @Nested
    class Snapshot extends SnapshotContract implements OnDisk {}

    @Nested
    class Conflicts extends ConflictsContract implements OnDisk {}

    @Nested
    class SelectorConflicts extends SelectorConflictsContract implements OnDisk {}

    @Nested
    class DeclaredConflicts extends DeclaredConflictsContract implements OnDisk {}

    @Nested
    class AtomicMutations extends AtomicMutationsContract implements OnDisk {}

    @Nested
    class Versionstamps extends VersionstampContract implements OnDisk {}

    @Nested
    class Watches extends WatchesContract implements OnDisk {}

    @Nested
    class Retries extends RetryLoopsContract implements OnDisk {}

    @Nested
    class Limits extends LimitsContract implements OnDisk {}

    @Nested
    class Options extends OptionsContract implements OnDisk {}

    @Nested
    class Lifecycle extends LifecycleContract implements OnDisk {}

    @Nested
    class Sizes extends SizesContract implements OnDisk {}

    @Nested
    class TuplesAndDirectories extends TuplesAndDirectoriesContract implements OnDisk {}

    @Nested
    class Multithreaded extends MultithreadedContract implements OnDisk {}

    @Nested
    class ConcurrentHistories extends ConcurrentHistoriesContract implements OnDisk {}

    @Group
    class RandomTransactions extends RandomTransactionsContract implements OnDisk {}

    @Group
    class CommittedHistories extends ExactConflictsContract implements OnDisk {}
}
