package dev.couchjobs.internal.sweep;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.claims.RowTransitions;
import dev.couchjobs.internal.dependencies.Dependents;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.job.Standing;
import dev.couchjobs.internal.retention.TypeRetention;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Ends the pending jobs of one type that have not begun by their deadlines, in whatever queue they are, or in none. */
final class LateJobs {
    private final Keyspace keyspace;
    private final JobType<?, ?> type;
    private final RowTransitions rowTransitions;

    LateJobs(Instance instance, JobType<?, ?> type) {
        this.keyspace = instance.keyspace();
        this.type = type;
        this.rowTransitions =
                new RowTransitions(instance.clock(), instance.environment().random());
    }

    /**
     * Ends jobs that this transaction has read.
     *
     * @param now the time by which they are late
     */
    CompletableFuture<?> end(Transaction tx, TypeKeys keys, Map<String, JobRow> late, Instant now) {
        if (late.isEmpty()) {
            return CompletableFuture.completedFuture(late);
        }
        List<CompletableFuture<?>> unlinked = new ArrayList<>();
        late.forEach((id, row) -> {
            if (Standing.of(row).waitsForDependencies()) {
                unlinked.add(Dependents.awaitedBy(tx, keyspace, new JobRef(keys, id))
                        .thenCompose(dependencies -> dependencies.unlinkAll(tx)));
            }
        });
        return Futures.allOf(unlinked)
                .thenCompose(done -> TypeRetention.ending(tx, keys, type))
                .thenAccept(ending -> {
                    List<RowChange> changes = new ArrayList<>(late.size());
                    late.forEach((id, row) -> changes.add(
                            new RowChange(new JobRef(keys, id), row, rowTransitions.late(ending, row, now))));
                    JobStore.of(tx).saveAll(changes);
                });
    }
}
