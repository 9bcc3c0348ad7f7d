package dev.couchjobs.internal.limits;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.job.ClaimInfo;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.PackedCounters;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs of a type run that were claimed under a limit of the type, in shards: the rows {@code running}. The row
 * of such a job names its shard, so the transaction that begins or ends a claim changes the number of that shard.
 */
public final class LimitShards {
    /** The largest number of shards. */
    public static final int MAX = ClaimInfo.LIMIT_SHARDS_MAX;

    private long @Nullable [] changes;

    /** Writes the sums of changes. */
    public static void write(Changes changes) {
        LimitShards sums = new LimitShards();
        for (SavedChange change : changes.all()) {
            sums.add(change.before(), -1);
            sums.add(change.after(), 1);
        }
        sums.save(changes.tx(), changes.keys());
    }

    private void add(@Nullable JobRow row, int change) {
        if (row == null
                || row.claimInfo().limitShard() == ClaimInfo.NO_LIMIT_SHARD
                || row.state() != JobState.RUNNING) {
            return;
        }
        if (changes == null) {
            changes = new long[MAX];
        }
        changes[row.claimInfo().limitShard()] += change;
    }

    private void save(Transaction tx, TypeKeys keys) {
        if (changes == null) {
            return;
        }
        for (int shard = 0; shard < MAX; shard++) {
            long[] change = {changes[shard]};
            if (PackedCounters.isAny(change)) {
                tx.mutate(MutationType.ADD, LimitKeys.of(keys).running(shard), PackedCounters.encode(change));
            }
        }
    }

    /** {@return the number of each shard} */
    static CompletableFuture<int[]> read(ReadTransaction tx, TypeKeys keys) {
        return tx.getRange(LimitKeys.of(keys).running()).asList().thenApply(rows -> {
            int[] counts = new int[MAX];
            for (KeyValue row : rows) {
                Optional<Integer> shard = Quarantine.readable(
                        tx,
                        keys,
                        row,
                        each -> Objects.checkIndex(LimitKeys.of(keys).runningShard(each.getKey()), MAX));
                shard.ifPresent(number -> counts[number] = (int) PackedCounters.sum(List.of(row.getValue()), 1)[0]);
            }
            return counts;
        });
    }

    /** Lets claims of one shard commit one after the other, so that each knows what the others have claimed. */
    static void conflictWithClaims(Transaction tx, TypeKeys keys, int shard) {
        byte[] claims = ByteArrayUtil.keyAfter(LimitKeys.of(keys).running(shard)); // nothing is stored there
        tx.addReadConflictKey(claims);
        tx.addWriteConflictKey(claims);
    }
}
