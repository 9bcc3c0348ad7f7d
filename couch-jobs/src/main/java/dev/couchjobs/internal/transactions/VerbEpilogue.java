package dev.couchjobs.internal.transactions;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.batches.BatchSettlement;
import dev.couchjobs.internal.data.StatusSettlement;
import dev.couchjobs.internal.data.TypeInUse;
import dev.couchjobs.internal.dependencies.DependencyPropagator;
import dev.couchjobs.internal.dependencies.GraphSettlement;
import dev.couchjobs.internal.limits.Admission;
import dev.couchjobs.internal.schedules.ScheduleFirings;
import dev.couchjobs.internal.sequences.SequenceOrder;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Completes what a verb began in its transaction: adds the jobs of schedules that follow those that ended, propagates
 * the ends of jobs to their dependents, lets the next jobs of sequences go, counts the members of batches, passes the
 * slots of limit keys on, unites the graphs that jobs connect, writes the status indexes, and brings the types of
 * enqueued jobs into use. Each part may follow from those before it.
 */
record VerbEpilogue(
        ScheduleFirings scheduleFirings,
        DependencyPropagator dependencyPropagator,
        BatchSettlement batches,
        Admission admission) {
    /** @param runner runs what follows after the commit */
    <T extends @Nullable Object> CompletableFuture<T> run(
            Transaction tx, BatchSettlement.Runner runner, CompletableFuture<T> done) {
        return done.thenCompose(result -> scheduleFirings
                .addFollowing(tx)
                .thenCompose(moved -> dependencyPropagator.propagate(tx))
                .thenCompose(propagated -> SequenceOrder.settle(tx))
                .thenCompose(ordered -> batches.settle(tx, runner))
                .thenCompose(counted -> admission.settle(tx))
                .thenCompose(settled -> GraphSettlement.settle(tx))
                .thenCompose(united -> StatusSettlement.settle(tx))
                .thenCompose(indexed -> TypeInUse.bringIntoUse(tx))
                .thenApply(used -> result));
    }
}
