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

    public Creation(Keyspace keyspace, Transactions transactions, PayloadCodec codec) {
        this.keyspace = keyspace;
        this.transactions = transactions;
        this.codec = codec;
    }

    /** {@return when it is done} */
    public <D> CompletableFuture<@Nullable Void> add(
            TransactionContext context, JobType<D> type, String jobId, D data, long scheduledTime) {
        JobRef ref = keyspace.job(type.name(), jobId);
        byte[] json = codec.encode(type, jobId, data);
        return transactions.runOnce(context, ref.keys(), tx -> CompletableFuture.completedFuture(null), (tx, token) -> {
            CompletableFuture<Optional<Duration>> timeout = TypeTimeouts.get(tx, ref.keys());
            return JobTable.edit(
                    tx,
                    ref,
                    before -> timeout.thenApply(known -> {
                        if (known.isEmpty()) {
                            throw new TypeTimeoutMissingException(type.name());
                        }
                        added(before, json, scheduledTime)
                                .ifPresent(after -> JobTable.save(tx, ref, before.orElse(null), after, token));
                        return null;
                    }));
        });
    }

    /** The four cases of {@code add}; empty when there is nothing to change: no write, no conflict. */
    private static Optional<JobRow> added(Optional<JobRow> before, byte[] json, long scheduledTime) {
        if (before.isEmpty()) {
            return Optional.of(JobRow.added(Payload.of(json), scheduledTime));
        }
        JobRow row = before.get();
        boolean sameTime = row.scheduledTime() == scheduledTime;
        boolean asItIs = switch (row.state()) {
            case PENDING -> sameTime && row.payload().isKnownToEqual(json);
            case RUNNING -> sameTime && row.resubmit();
            case FINISHED, NOT_FOUND -> false;
        };
        if (asItIs) {
            return Optional.empty();
        }
        return Optional.of(
                row.state() == JobState.RUNNING
                        ? row.flagged(scheduledTime)
                        : row.enqueued(Payload.of(json), scheduledTime));
    }

    /** {@return whether there was such a job} */
    public CompletableFuture<Boolean> remove(TransactionContext context, JobType<?> type, String jobId) {
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
