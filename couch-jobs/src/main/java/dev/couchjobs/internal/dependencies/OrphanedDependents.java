package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.data.DependencyState;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Dependents of a job whose row, which named their waiter groups, is gone without having been decoded. */
public final class OrphanedDependents {
    private OrphanedDependents() {}

    /**
     * Settles them as dependents of a removed job. Those that wait until it succeeds wait for a job that is added
     * later.
     *
     * @param now the job that has its id now, whose own dependents are not told
     */
    public static CompletableFuture<@Nullable Void> tell(Transaction tx, JobRef ref, Optional<JobRow> now) {
        DependencyState own = now.map(row -> row.options().dependencies()).orElse(DependencyState.NONE);
        return notifyAfter(tx, ref, own, now.isPresent(), Optional.empty());
    }

    private static CompletableFuture<@Nullable Void> notifyAfter(
            Transaction tx, JobRef ref, DependencyState own, boolean isThere, Optional<Long> group) {
        return Dependents.nextGroup(tx, ref, group).thenCompose(found -> {
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            long next = found.get().group();
            boolean isOwn = next == own.group(true) || next == own.group(false);
            if (!isOwn && !Dependents.isPatient(found.get().policy())) {
                ReleaseOutbox.leaveRemoved(tx, ref, next);
            } else if (!isOwn && !isThere) {
                ReleaseOutbox.expect(tx, ref, next);
            }
            return notifyAfter(tx, ref, own, isThere, Optional.of(next));
        });
    }
}
