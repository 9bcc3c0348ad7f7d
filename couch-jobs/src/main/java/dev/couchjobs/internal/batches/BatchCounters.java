package dev.couchjobs.internal.batches;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.PackedCounters;
import java.util.concurrent.CompletableFuture;

/**
 * How many members of a batch have not ended, and how the others have. The transaction that changes members adds to one
 * of several rows, without a conflict. While a batch is open, it counts as one member that has not ended.
 */
public final class BatchCounters {
    private static final int SHARDS = 16;
    /** Some are unused. */
    private static final int WORDS = 8;

    private static final int OUTSTANDING = 0;
    private static final int SUCCEEDED = 1;
    private static final int FAILED = 2;
    private static final int CANCELLED = 3;
    private static final int EXPIRED = 4;
    private static final int REMOVED = 5;

    private final long[] words;

    private BatchCounters(long[] words) {
        this.words = words;
    }

    /** {@return counters without changes} */
    public static BatchCounters none() {
        return new BatchCounters(new long[WORDS]);
    }

    /** {@return the exact counters} */
    public static CompletableFuture<BatchCounters> read(ReadTransaction tx, Keyspace keyspace, String batch) {
        return tx.getRange(range(keyspace, batch))
                .asList()
                .thenApply(rows -> new BatchCounters(
                        PackedCounters.sum(rows.stream().map(KeyValue::getValue).toList(), WORDS)));
    }

    /** {@return the range of the counters of a batch} */
    static Range range(Keyspace keyspace, String batch) {
        return keyspace.table("batch_counts").get(batch).range();
    }

    /** Adds to the number of members that have not ended. */
    public BatchCounters addOutstanding(long change) {
        words[OUTSTANDING] += change;
        return this;
    }

    /** Counts a member that was removed before it had ended. */
    public void addRemoved() {
        words[REMOVED]++;
    }

    /** Counts a member, or no longer. */
    public void add(JobRow member, int change) {
        words[word(member)] += change;
    }

    private static int word(JobRow member) {
        if (member.state() != JobState.FINISHED) {
            return OUTSTANDING;
        }
        return switch (member.outcome()) {
            case SUCCEEDED -> SUCCEEDED;
            case FAILED -> FAILED;
            case CANCELLED -> CANCELLED;
            case EXPIRED -> EXPIRED;
        };
    }

    /** Writes these as changes of a batch, unless they are all zero. */
    public void save(Transaction tx, Keyspace keyspace, String batch) {
        if (PackedCounters.isAny(words)) {
            int shard = Math.floorMod(JobStore.shard(tx, batch), SHARDS);
            tx.mutate(
                    MutationType.ADD,
                    keyspace.table("batch_counts").get(batch).pack(shard),
                    PackedCounters.encode(words));
        }
    }

    /** {@return whether these changes count the end of a member} */
    public boolean isAnyEnd() {
        return words[SUCCEEDED] > 0
                || words[FAILED] > 0
                || words[CANCELLED] > 0
                || words[EXPIRED] > 0
                || words[REMOVED] > 0;
    }

    /** {@return how many have not ended} */
    public long outstanding() {
        return words[OUTSTANDING];
    }

    /** {@return how many have succeeded} */
    public long succeeded() {
        return words[SUCCEEDED];
    }

    /** {@return how many have failed} */
    public long failed() {
        return words[FAILED];
    }

    /** {@return how many were cancelled} */
    public long cancelled() {
        return words[CANCELLED];
    }

    /** {@return how many have expired} */
    public long expired() {
        return words[EXPIRED];
    }

    /** {@return how many were removed before they had ended} */
    public long removed() {
        return words[REMOVED];
    }
}
