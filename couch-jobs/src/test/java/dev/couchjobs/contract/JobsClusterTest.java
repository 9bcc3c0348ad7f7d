package dev.couchjobs.contract;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.testing.TestCluster;
import org.junit.jupiter.api.Nested;

/** The contract on a running FoundationDB cluster: see the profiles fdb and docker. */
class JobsClusterTest {

    interface OnCluster extends DatabaseProvider {
        @Override
        default Database open() {
            return TestCluster.open();
        }
    }

    @Nested
    class Creation extends CreationContract implements OnCluster {}

    @Nested
    class NewJobs extends NewJobContract implements OnCluster {}

    @Nested
    class Batches extends BatchesContract implements OnCluster {}

    @Nested
    class Labels extends LabelsContract implements OnCluster {}

    @Nested
    class SmallTransactions extends SmallTransactionsContract implements OnCluster {}

    @Nested
    class Priority extends PriorityContract implements OnCluster {}

    @Nested
    class Counts extends CountsContract implements OnCluster {}

    @Nested
    class Log extends LogContract implements OnCluster {}

    @Nested
    class TypeTimeouts extends TypeTimeoutsContract implements OnCluster {}

    @Nested
    class Accept extends AcceptContract implements OnCluster {}

    @Nested
    class Schedule extends ScheduleContract implements OnCluster {}

    @Nested
    class Processing extends ProcessingContract implements OnCluster {}

    @Nested
    class Ends extends EndsContract implements OnCluster {}

    @Nested
    class Outcomes extends OutcomesContract implements OnCluster {}

    @Nested
    class Retries extends RetriesContract implements OnCluster {}

    @Nested
    class DeadLetters extends DeadLettersContract implements OnCluster {}

    @Nested
    class Retention extends RetentionContract implements OnCluster {}

    @Nested
    class Resubmit extends ResubmitContract implements OnCluster {}

    @Nested
    class Transactions extends TransactionsContract implements OnCluster {}

    @Nested
    class Fencing extends FencingContract implements OnCluster {}

    @Nested
    class Subscriptions extends SubscriptionsContract implements OnCluster {}

    @Nested
    class Wait extends WaitContract implements OnCluster {}

    @Nested
    class Feed extends FeedContract implements OnCluster {}

    @Nested
    class ActivityMonitor extends ActivityMonitorContract implements OnCluster {}

    @Nested
    class Survival extends SurvivalContract implements OnCluster {}

    @Nested
    class Concurrency extends ConcurrencyContract implements OnCluster {}

    @Nested
    class Payloads extends PayloadsContract implements OnCluster {}

    @Nested
    class DataModel extends DataModelContract implements OnCluster {}

    @Nested
    class Layout extends LayoutContract implements OnCluster {}

    @Nested
    class Listing extends ListingContract implements OnCluster {}

    @Nested
    class Worker extends WorkerContract implements OnCluster {}

    @Nested
    class FurtherTypes extends FurtherTypesContract implements OnCluster {}

    @Nested
    class UnrulyHandlers extends MisbehavingHandlersContract implements OnCluster {}

    @Nested
    class WorkerTroubles extends WorkerTroublesContract implements OnCluster {}

    @Nested
    class Dependencies extends DependenciesContract implements OnCluster {}

    @Nested
    class Quarantine extends QuarantineContract implements OnCluster {}

    @Nested
    class WideDependencies extends WideDependenciesContract implements OnCluster {}
}
