package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.job.DependencyState;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.WaitCondition;
import dev.couchjobs.internal.rows.JobRef;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Dependents of a job whose row, which names their waiter groups, was removed without being decoded. */
public final class OrphanedDependents {
    private OrphanedDependents() {}

    /**
     * Notifies them as dependents of a removed job. Those with {@link WaitCondition#SUCCESS} wait for a job that is
     * added later.
     *
     * @param successor the job that has the id now; its own dependents are not notified
     */
    public static CompletableFuture<@Nullable Void> notifyDependents(
            Transaction tx, JobRef ref, Optional<JobRow> successor) {
        DependencyState own = successor.map(row -> row.options().dependencies()).orElse(DependencyState.NONE);
        return notifyAfter(tx, ref, own, successor.isPresent(), Optional.empty());
    }

    private static CompletableFuture<@Nullable Void> notifyAfter(
            Transaction tx, JobRef ref, DependencyState own, boolean hasSuccessor, Optional<Long> lastGroup) {
        return Dependents.nextGroup(tx, ref, lastGroup).thenCompose(next -> {
            if (next.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            long group = next.get().group();
            boolean isOwn = group == own.endGroup() || group == own.successGroup();
            if (!isOwn && WaitCondition.of(next.get().policy()) == WaitCondition.END) {
                ReleaseOutbox.deferRemoval(tx, ref, group);
            } else if (!isOwn && !hasSuccessor) {
                ReleaseOutbox.expect(tx, ref, new ExpectedJob(group, DependencyState.NO_GRAPH));
            }
            return notifyAfter(tx, ref, own, hasSuccessor, Optional.of(group));
        });
    }
}
