package dev.couchjobs.internal.data;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads the main jobs table. Each read sees what its transaction wrote before; {@link JobTransaction} writes.
 *
 * <p>A job's {@code data} row is the single point of mutual exclusion: every transition reads it, in a way that
 * conflicts with other transitions, and writes it.
 */
public final class JobTable {
    private JobTable() {}

    /** {@return its row, as this transaction left it if it wrote it} */
    public static CompletableFuture<Optional<JobRow>> read(ReadTransaction tx, JobRef ref) {
        byte[] key = ref.dataKey();
        Optional<TransactionScope.Written> written = TransactionScope.written(tx, key);
        if (written.isPresent()) {
            return CompletableFuture.completedFuture(written.get().row());
        }
        return tx.get(key)
                .thenApply(value -> Optional.ofNullable(value).map(bytes -> decode(ref, new KeyValue(key, bytes))));
    }

    /** {@return what the row of a job says} */
    public static JobRow decode(JobRef ref, KeyValue row) {
        return Quarantine.decode(ref.keys(), row, each -> JobRow.decode(each.getValue()));
    }

    /**
     * {@return its row, as this transaction left it; nothing if it cannot be decoded, and then it is out of the way}
     */
    public static CompletableFuture<Optional<JobRow>> find(ReadTransaction tx, JobRef ref) {
        byte[] key = ref.dataKey();
        Optional<TransactionScope.Written> written = TransactionScope.written(tx, key);
        if (written.isPresent()) {
            return CompletableFuture.completedFuture(written.get().row());
        }
        return tx.get(key).thenApply(value -> Quarantine.readable(tx, ref.keys(), key, value, JobRow::decode));
    }

    /**
     * {@return whether a transaction has written jobs of a type, so that their rows in the indexes cannot be read
     * there}
     */
    static boolean hasWritten(ReadTransaction tx, TypeKeys keys) {
        return !TransactionScope.writtenWithin(tx, keys.dataAfter("")).isEmpty();
    }

    /**
     * Some rows of a type.
     *
     * @param byId the rows by id, in order
     * @param hasPassedOver whether there are others between them that cannot be decoded
     */
    public record Rows(Map<String, JobRow> byId, boolean hasPassedOver) {}

    /** {@return rows by id, in order, as this transaction left them} */
    public static CompletableFuture<Rows> list(ReadTransaction tx, TypeKeys keys, String after, int limit) {
        return new PageReader(tx, keys, after, limit).read();
    }

    /**
     * Reads a job that is perhaps to be changed, without a conflict over it before that. A client keeps what a
     * transaction has read: so the change then need not wait for another answer.
     */
    public static CompletableFuture<?> prefetch(Transaction tx, JobRef ref) {
        return find(tx.snapshot(), ref);
    }
}
