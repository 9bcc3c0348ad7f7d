package dev.couchjobs.internal.features;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.activity.ActivityIndex;
import dev.couchjobs.internal.activity.LostClaims;
import dev.couchjobs.internal.batches.BatchSettlement;
import dev.couchjobs.internal.counters.StateCounters;
import dev.couchjobs.internal.deadletters.DeadLetterIndex;
import dev.couchjobs.internal.dependencies.DependencyPropagator;
import dev.couchjobs.internal.dependencies.GraphRows;
import dev.couchjobs.internal.dependencies.GraphSettlement;
import dev.couchjobs.internal.dependencies.ReleaseOutbox;
import dev.couchjobs.internal.descent.DescentNote;
import dev.couchjobs.internal.feature.FollowUp;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.feature.Settler;
import dev.couchjobs.internal.feed.ChangeFeed;
import dev.couchjobs.internal.history.AttemptLog;
import dev.couchjobs.internal.history.JobLog;
import dev.couchjobs.internal.limits.Admission;
import dev.couchjobs.internal.limits.ClaimRules;
import dev.couchjobs.internal.limits.LimitShards;
import dev.couchjobs.internal.limits.LimitedJob;
import dev.couchjobs.internal.quarantine.IndexCheck;
import dev.couchjobs.internal.quarantine.LostRows;
import dev.couchjobs.internal.queue.PendingQueue;
import dev.couchjobs.internal.queue.QueueIndex;
import dev.couchjobs.internal.queue.RankedQueue;
import dev.couchjobs.internal.retention.RetentionIndex;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.schedules.ScheduleFirings;
import dev.couchjobs.internal.sequences.SequenceOrder;
import dev.couchjobs.internal.sequences.SequenceRow;
import dev.couchjobs.internal.status.StatusIndex;
import dev.couchjobs.internal.status.StatusSettlement;
import dev.couchjobs.internal.tags.TagIndex;
import dev.couchjobs.internal.turns.TurnRequest;
import dev.couchjobs.internal.types.TypeInUse;
import dev.couchjobs.internal.unique.UniqueIndex;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** All features whose part in a verb needs reads. No other class names all of them. */
public final class Features {
    /** What each change of a job writes. */
    private static final JobStore.Writers WRITERS = new JobStore.Writers(
            ReleaseOutbox::recordTransition,
            StateCounters::write,
            LimitShards::write,
            QueueIndex::write,
            TurnRequest::write,
            LostClaims::write,
            ClaimRules::write,
            ActivityIndex::write,
            ChangeFeed::write,
            RetentionIndex::write,
            DeadLetterIndex::write,
            UniqueIndex::write,
            TagIndex::write,
            GraphRows::write,
            DescentNote::write,
            AttemptLog::write,
            JobLog::write);

    /** What is checked after a row was moved into quarantine; the indexes in the order of their keys. */
    public static final IndexCheck.Checks CHECKS = new IndexCheck.Checks(
            new LostRows(
                    List.of("dead", "limited", "pending", "ranked", "retire", "sequence_queue", "tags", "unique"),
                    List.of(
                            LimitedJob::isQueued,
                            RetentionIndex::isThere,
                            DeadLetterIndex::isThere,
                            UniqueIndex::isThere,
                            TagIndex::areThere),
                    SequenceRow::isThere),
            List.of(
                    DeadLetterIndex.ROWS,
                    LimitedJob.ROWS,
                    PendingQueue.ROWS,
                    RankedQueue.ROWS,
                    StatusIndex.ROWS,
                    TagIndex.ROWS,
                    UniqueIndex.ROWS));

    private final List<Settler> settlers;

    /** @param clock computes the times that are stored for later */
    public Features(Environment environment, InstantSource clock, Keyspace keyspace) {
        this.settlers = List.of( // each may follow from those before it
                new ScheduleFirings(keyspace, clock, environment.random()),
                new DependencyPropagator(keyspace, clock),
                new SequenceOrder(),
                new BatchSettlement(keyspace),
                new Admission(environment),
                new GraphSettlement(),
                new StatusSettlement(),
                UniqueIndex::settle,
                (tx, changes, followUp) -> TypeInUse.bringIntoUse(tx, changes));
    }

    /**
     * Prepares a try of a transaction.
     *
     * @param failedTries how many tries before it have failed
     */
    public void prepare(Transaction tx, int failedTries) {
        JobStore.prepare(tx, WRITERS);
        ReleaseOutbox.prepare(tx, failedTries);
        if (failedTries > 0) {
            JobStore.markRetry(tx);
        }
    }

    /**
     * Settles what a verb has changed.
     *
     * @param verb completes when the verb has written its changes
     * @param followUp runs what has to follow the commit
     * @return completes with the result of the verb when all is settled
     */
    public <T extends @Nullable Object> CompletableFuture<T> settle(
            Transaction tx, CompletableFuture<T> verb, FollowUp followUp) {
        return verb.thenCompose(done -> settle(tx, followUp, 0).thenApply(settled -> done));
    }

    /** Most settlers have nothing to settle, and cost no future then. */
    private CompletableFuture<?> settle(Transaction tx, FollowUp followUp, int from) {
        for (int i = from; i < settlers.size(); i++) {
            List<SavedChange> changes = JobStore.takeChanges(tx, i, settlers.size());
            CompletableFuture<?> settled = settlers.get(i).settle(tx, changes, followUp);
            if (!settled.isDone() || settled.isCompletedExceptionally()) {
                int next = i + 1;
                return settled.thenCompose(done -> settle(tx, followUp, next));
            }
        }
        return Settler.NOTHING;
    }
}
