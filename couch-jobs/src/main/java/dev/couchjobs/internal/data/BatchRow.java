package dev.couchjobs.internal.data;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.BatchState;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The row of a batch, and the rows of its members that have not ended.
 *
 * @param state open, sealed, closed or cancelled
 * @param closesAtFailure whether the first member that fails closes the batch
 * @param closingType the type of the closing job, or null if there is none
 * @param closingId its id, or null
 */
public record BatchRow(
        BatchState state,
        boolean closesAtFailure,
        @Nullable String closingType,
        @Nullable String closingId) {

    /** {@return this row in another state} */
    public BatchRow with(BatchState newState) {
        return new BatchRow(newState, closesAtFailure, closingType, closingId);
    }

    /** {@return whether the batch takes members, and closes when all have ended} */
    public boolean mayClose() {
        return state == BatchState.OPEN || state == BatchState.SEALED;
    }

    /** {@return the closing job} */
    public Optional<JobRef> closing(Keyspace keyspace) {
        return closingType == null || closingId == null
                ? Optional.empty()
                : Optional.of(keyspace.job(closingType, closingId));
    }

    /** {@return the key of the row of a batch} */
    public static byte[] key(Keyspace keyspace, String batch) {
        return keyspace.batches().pack(batch);
    }

    /** {@return the row of a batch, if there is one} */
    public static CompletableFuture<Optional<BatchRow>> find(ReadTransaction tx, Keyspace keyspace, String batch) {
        return tx.get(key(keyspace, batch))
                .thenApply(value -> Optional.ofNullable(value).map(BatchRow::decode));
    }

    /** Writes the row of a batch. */
    public void write(Transaction tx, Keyspace keyspace, String batch) {
        tx.set(
                key(keyspace, batch),
                Tuple.from(state.name().toLowerCase(Locale.ROOT), closesAtFailure, closingType, closingId)
                        .pack());
    }

    private static BatchRow decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        return new BatchRow(
                BatchState.valueOf(row.getString(0).toUpperCase(Locale.ROOT)),
                row.getBoolean(1),
                row.getString(2),
                row.getString(3));
    }

    /** Removes the rows of a batch. */
    public static void clear(Transaction tx, Keyspace keyspace, String batch) {
        tx.clear(key(keyspace, batch));
        tx.clear(BatchCounters.range(keyspace, batch));
        tx.clear(keyspace.batchMembers(batch).range());
    }

    /** Notes that a member has not ended, or has. */
    public static void note(Transaction tx, Keyspace keyspace, String batch, JobRef member, boolean isOutstanding) {
        byte[] key = keyspace.batchMembers(batch).pack(Tuple.from(member.keys().typeName(), member.id()));
        if (isOutstanding) {
            tx.set(key, new byte[0]);
        } else {
            tx.clear(key);
        }
    }

    /** {@return members that have not ended, behind one, or the first ones} */
    public static CompletableFuture<List<JobRef>> members(
            ReadTransaction tx, Keyspace keyspace, String batch, Optional<JobRef> after, int limit) {
        Range all = keyspace.batchMembers(batch).range();
        byte[] begin = after.map(last -> ByteArrayUtil.keyAfter(
                        keyspace.batchMembers(batch).pack(Tuple.from(last.keys().typeName(), last.id()))))
                .orElse(all.begin);
        return tx.getRange(new Range(begin, all.end), limit)
                .asList()
                .thenApply(rows -> rows.stream()
                        .map(row -> keyspace.batchMembers(batch).unpack(row.getKey()))
                        .map(path -> keyspace.job(path.getString(0), path.getString(1)))
                        .toList());
    }
}
