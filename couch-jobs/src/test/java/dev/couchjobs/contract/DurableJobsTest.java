package dev.couchjobs.contract;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.TemporaryDirectories;
import org.junit.jupiter.api.Nested;

/** The contract on the embedded engine with its data on disk. */
class DurableJobsTest {

    interface OnDisk extends DatabaseProvider {
        @Override
        default Database open() {
            return EmbeddedDatabase.open(TemporaryDirectories.fresh());
        }
    }

    @Nested
    class Creation extends CreationContract implements OnDisk {}

    @Nested
    class NewJobs extends NewJobContract implements OnDisk {}

    @Nested
    class Batches extends BatchesContract implements OnDisk {}

    @Nested
    class Priority extends PriorityContract implements OnDisk {}

    @Nested
    class Counts extends CountsContract implements OnDisk {}

    @Nested
    class Log extends LogContract implements OnDisk {}

    @Nested
    class TypeTimeouts extends TypeTimeoutsContract implements OnDisk {}

    @Nested
    class Accept extends AcceptContract implements OnDisk {}

    @Nested
    class Schedule extends ScheduleContract implements OnDisk {}

    @Nested
    class Processing extends ProcessingContract implements OnDisk {}

    @Nested
    class Ends extends EndsContract implements OnDisk {}

    @Nested
    class Outcomes extends OutcomesContract implements OnDisk {}

    @Nested
    class Retries extends RetriesContract implements OnDisk {}

    @Nested
    class DeadLetters extends DeadLettersContract implements OnDisk {}

    @Nested
    class Retention extends RetentionContract implements OnDisk {}

    @Nested
    class Resubmit extends ResubmitContract implements OnDisk {}

    @Nested
    class Transactions extends TransactionsContract implements OnDisk {}

    @Nested
    class Fencing extends FencingContract implements OnDisk {}

    @Nested
    class Subscriptions extends SubscriptionsContract implements OnDisk {}

    @Nested
    class Wait extends WaitContract implements OnDisk {}

    @Nested
    class Feed extends FeedContract implements OnDisk {}

    @Nested
    class ActivityMonitor extends ActivityMonitorContract implements OnDisk {}

    @Nested
    class Survival extends SurvivalContract implements OnDisk {}

    @Nested
    class Concurrency extends ConcurrencyContract implements OnDisk {}

    @Nested
    class Payloads extends PayloadsContract implements OnDisk {}

    @Nested
    class DataModel extends DataModelContract implements OnDisk {}

    @Nested
    class Layout extends LayoutContract implements OnDisk {}

    @Nested
    class Listing extends ListingContract implements OnDisk {}

    @Nested
    class Worker extends WorkerContract implements OnDisk {}

    @Nested
    class FurtherTypes extends FurtherTypesContract implements OnDisk {}

    @Nested
    class UnrulyHandlers extends MisbehavingHandlersContract implements OnDisk {}

    @Nested
    class WorkerTroubles extends WorkerTroublesContract implements OnDisk {}

    @Nested
    class Dependencies extends DependenciesContract implements OnDisk {}

    @Nested
    class Quarantine extends QuarantineContract implements OnDisk {}

    @Nested
    class WideDependencies extends WideDependenciesContract implements OnDisk {}
}
