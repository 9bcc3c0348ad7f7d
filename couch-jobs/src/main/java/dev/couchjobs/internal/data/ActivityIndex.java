package dev.couchjobs.internal.data;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reads the {@code activity} rows: running jobs in the order in which they were last heard of. */
public final class ActivityIndex {
    private ActivityIndex() {}

    /**
     * A row of the index.
     *
     * @param sequence the commit in which the job's processor was heard of
     * @param jobId the job
     */
    public record Entry(Versionstamp sequence, String jobId) {}

    /** {@return the rows of the jobs that were not heard of since, longest silent first} */
    public static CompletableFuture<List<Entry>> silentSince(
            ReadTransaction tx, TypeKeys keys, Versionstamp upTo, int limit) {
        return tx.snapshot()
                .getRange(keys.activityUpTo(upTo), limit)
                .asList()
                .thenApply(rows -> rows.stream().map(row -> decode(keys, row)).toList());
    }

    /** Removes a row that its job's own row does not bear out. */
    public static void clear(Transaction tx, TypeKeys keys, Entry entry) {
        tx.clear(keys.activity(entry.sequence()));
    }

    private static Entry decode(TypeKeys keys, KeyValue row) {
        return new Entry(
                keys.sequenceOfActivity(row.getKey()),
                Tuple.fromBytes(row.getValue()).getString(0));
    }
}
