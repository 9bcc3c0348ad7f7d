package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.TypeTimeoutMissingException;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.Payload;
import dev.couchjobs.internal.data.Terms;
import dev.couchjobs.internal.data.TypeTimeouts;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The verbs of those who create jobs: {@code add} and {@code remove} (RFC 007, "Job Creation API"). */
public final class Creation {
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final PayloadCodec codec;

    public Creation(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.codec = instance.codec();
    }

    /** {@return when it is done} */
    public <D> CompletableFuture<@Nullable Void> add(
            TransactionContext context, JobType<D, ?> type, String jobId, D data, long scheduledTime) {
        JobRef ref = keyspace.job(type.name(), jobId);
        byte[] json = codec.encode(type, jobId, data);
        return transactions.runOnce(context, ref.keys(), tx -> CompletableFuture.completedFuture(null), (tx, token) -> {
            CompletableFuture<Optional<Duration>> timeout = TypeTimeouts.get(tx, ref.keys());
            return JobTable.edit(
                    tx,
                    ref,
                    before -> timeout.thenCompose(known -> {
                        if (known.isEmpty()) {
                            throw new TypeTimeoutMissingException(type.name());
                        }
                        return isAsGiven(tx, ref, before, json, scheduledTime).thenApply(nothingNew -> {
                            if (!nothingNew) {
                                JobTable.save(tx, ref, before.orElse(null), added(before, json, scheduledTime), token);
                            }
                            return null;
                        });
                    }));
        });
    }

    /** Whether there is nothing to change: then there is no write, and no conflict. */
    private static CompletableFuture<Boolean> isAsGiven(
            Transaction tx, JobRef ref, Optional<JobRow> before, byte[] json, long scheduledTime) {
        if (before.isEmpty() || before.get().scheduledTime() != scheduledTime) {
            return CompletableFuture.completedFuture(false);
        }
        JobRow row = before.get();
        return row.state() == JobState.PENDING
                ? row.payload().holds(tx, ref, json)
                : CompletableFuture.completedFuture(row.state() == JobState.RUNNING && row.resubmit());
    }

    /** The four cases of {@code add}. */
    private static JobRow added(Optional<JobRow> before, byte[] json, long scheduledTime) {
        if (before.isEmpty()) {
            return JobRow.added(Payload.of(json), scheduledTime, Terms.NONE);
        }
        return before.get().state() == JobState.RUNNING
                ? before.get().flagged(scheduledTime)
                : before.get().enqueued(Payload.of(json), scheduledTime);
    }

    /** {@return whether there was such a job} */
    public CompletableFuture<Boolean> remove(TransactionContext context, JobType<?, ?> type, String jobId) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions.runOnce(
                context,
                ref.keys(),
                tx -> CompletableFuture.completedFuture(true),
                (tx, token) -> JobTable.edit(
                        tx, ref, before -> CompletableFuture.completedFuture(removed(tx, ref, before, token))));
    }

    private static boolean removed(Transaction tx, JobRef ref, Optional<JobRow> before, OptionalLong token) {
        before.ifPresent(row -> JobTable.save(tx, ref, row, null, token));
        return before.isPresent();
    }
}
