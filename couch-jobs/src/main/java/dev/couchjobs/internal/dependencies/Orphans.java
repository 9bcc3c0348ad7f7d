package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.internal.data.Dependents;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.Releases;
import dev.couchjobs.internal.data.Ties;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Dependents of a job whose row, which named their rooms, is gone without having been decoded. */
public final class Orphans {
    private Orphans() {}

    /**
     * Tells them that the job was removed. Those that wait until it succeeds go on waiting for one that is added later.
     *
     * @param now the job that has its id now, whose own dependents are not told
     */
    public static CompletableFuture<@Nullable Void> tell(Transaction tx, JobRef ref, Optional<JobRow> now) {
        Ties own = now.map(row -> row.terms().ties()).orElse(Ties.NONE);
        return tellBehind(tx, ref, own, now.isPresent(), Optional.empty());
    }

    private static CompletableFuture<@Nullable Void> tellBehind(
            Transaction tx, JobRef ref, Ties own, boolean isThere, Optional<Long> room) {
        return Dependents.nextRoom(tx, ref, room).thenCompose(found -> {
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            long next = found.get().room();
            boolean isOwn = next == own.room(true) || next == own.room(false);
            if (!isOwn && found.get().policy() != DependencyPolicy.WAIT) {
                Releases.leaveRemoved(tx, ref, next);
            } else if (!isOwn && !isThere) {
                Releases.expect(tx, ref, next);
            }
            return tellBehind(tx, ref, own, isThere, Optional.of(next));
        });
    }
}
