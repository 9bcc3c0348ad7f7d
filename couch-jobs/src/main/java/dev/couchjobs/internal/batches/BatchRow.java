package dev.couchjobs.internal.batches;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.BatchState;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
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

    /** What a row that cannot be decoded stands for: the batch takes no members, and does not close. */
    private static final BatchRow DAMAGED = new BatchRow(BatchState.CLOSED, false, null, null);

    /** {@return this row in another state} */
    public BatchRow with(BatchState newState) {
        return new BatchRow(newState, closesAtFailure, closingType, closingId);
    }

    /** {@return whether the batch takes members, and closes when all have ended} */
    public boolean mayClose() {
        return state == BatchState.OPEN || state == BatchState.SEALED;
    }

    /** {@return whether a job is the closing job} */
    public boolean isClosedBy(JobRef ref) {
        return ref.keys().typeName().equals(closingType) && ref.id().equals(closingId);
    }

    /** {@return the closing job} */
    public Optional<JobRef> closing(Keyspace keyspace) {
        return closingType == null || closingId == null
                ? Optional.empty()
                : Optional.of(keyspace.job(closingType, closingId));
    }

    /** {@return the key of the row of a batch} */
    public static byte[] key(Keyspace keyspace, String batch) {
        return keyspace.table("batches").pack(batch);
    }

    /** {@return the row of a batch, if there is one} */
    public static CompletableFuture<Optional<BatchRow>> find(ReadTransaction tx, Keyspace keyspace, String batch) {
        byte[] key = key(keyspace, batch);
        return tx.get(key).thenApply(value -> Optional.ofNullable(value).map(bytes -> readable(key, bytes)));
    }

    private static BatchRow readable(byte[] key, byte[] value) {
        return Quarantine.readableOrLogged(new KeyValue(key, value), row -> decode(row.getValue()))
                .orElse(DAMAGED);
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
        tx.clear(keyspace.table("batch_members").get(batch).range());
    }

    /** Notes that a member has not ended, or has. */
    public static void note(Transaction tx, Keyspace keyspace, String batch, JobRef member, boolean isOutstanding) {
        byte[] key = keyspace.table("batch_members")
                .get(batch)
                .pack(Tuple.from(member.keys().typeName(), member.id()));
        if (isOutstanding) {
            tx.set(key, new byte[0]);
        } else {
            tx.clear(key);
        }
    }

    /**
     * A page of the members that have not ended.
     *
     * @param members those whose rows can be read
     * @param last the key of the last row; empty if there is none
     */
    public record Members(List<JobRef> members, Optional<byte[]> last) {}

    /** {@return members that have not ended, behind a key, or the first ones} */
    public static CompletableFuture<Members> members(
            ReadTransaction tx, Keyspace keyspace, String batch, Optional<byte[]> after, int limit) {
        Range all = keyspace.table("batch_members").get(batch).range();
        byte[] begin = after.map(ByteArrayUtil::keyAfter).orElse(all.begin);
        return tx.getRange(new Range(begin, all.end), limit)
                .asList()
                .thenApply(rows -> new Members(
                        rows.stream()
                                .flatMap(row ->
                                        Quarantine.readableOrLogged(row, each -> member(keyspace, batch, each))
                                                .stream())
                                .toList(),
                        rows.isEmpty()
                                ? Optional.empty()
                                : Optional.of(rows.get(rows.size() - 1).getKey())));
    }

    private static JobRef member(Keyspace keyspace, String batch, KeyValue row) {
        Tuple path = keyspace.table("batch_members").get(batch).unpack(row.getKey());
        return keyspace.job(path.getString(0), path.getString(1));
    }
}
