package dev.couchjobs.contract;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import org.junit.jupiter.api.Nested;

/** The contract on the embedded engine in memory. */
class InMemoryJobsTest {

    interface InMemory extends DatabaseProvider {
        @Override
        default Database open() {
            return EmbeddedDatabase.openInMemory();
        }
    }

    @Nested
    class Creation extends CreationContract implements InMemory {}

    @Nested
    class NewJobs extends NewJobContract implements InMemory {}

    @Nested
    class Batches extends BatchesContract implements InMemory {}

    @Nested
    class Labels extends LabelsContract implements InMemory {}

    @Nested
    class SmallTransactions extends SmallTransactionsContract implements InMemory {}

    @Nested
    class Priority extends PriorityContract implements InMemory {}

    @Nested
    class Counts extends CountsContract implements InMemory {}

    @Nested
    class Log extends LogContract implements InMemory {}

    @Nested
    class TypeTimeouts extends TypeTimeoutsContract implements InMemory {}

    @Nested
    class Accept extends AcceptContract implements InMemory {}

    @Nested
    class Schedule extends ScheduleContract implements InMemory {}

    @Nested
    class Processing extends ProcessingContract implements InMemory {}

    @Nested
    class Ends extends EndsContract implements InMemory {}

    @Nested
    class Outcomes extends OutcomesContract implements InMemory {}

    @Nested
    class Retries extends RetriesContract implements InMemory {}

    @Nested
    class DeadLetters extends DeadLettersContract implements InMemory {}

    @Nested
    class Retention extends RetentionContract implements InMemory {}

    @Nested
    class Resubmit extends ResubmitContract implements InMemory {}

    @Nested
    class Transactions extends TransactionsContract implements InMemory {}

    @Nested
    class Fencing extends FencingContract implements InMemory {}

    @Nested
    class Subscriptions extends SubscriptionsContract implements InMemory {}

    @Nested
    class Wait extends WaitContract implements InMemory {}

    @Nested
    class Feed extends FeedContract implements InMemory {}

    @Nested
    class ActivityMonitor extends ActivityMonitorContract implements InMemory {}

    @Nested
    class Survival extends SurvivalContract implements InMemory {}

    @Nested
    class Concurrency extends ConcurrencyContract implements InMemory {}

    @Nested
    class Payloads extends PayloadsContract implements InMemory {}

    @Nested
    class DataModel extends DataModelContract implements InMemory {}

    @Nested
    class Layout extends LayoutContract implements InMemory {}

    @Nested
    class Listing extends ListingContract implements InMemory {}

    @Nested
    class Worker extends WorkerContract implements InMemory {}

    @Nested
    class FurtherTypes extends FurtherTypesContract implements InMemory {}

    @Nested
    class UnrulyHandlers extends MisbehavingHandlersContract implements InMemory {}

    @Nested
    class WorkerTroubles extends WorkerTroublesContract implements InMemory {}

    @Nested
    class Dependencies extends DependenciesContract implements InMemory {}

    @Nested
    class Quarantine extends QuarantineContract implements InMemory {}

    @Nested
    class WideDependencies extends WideDependenciesContract implements InMemory {}
}
