package dev.couchjobs.internal.counters;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobCounts;
import dev.couchjobs.Outcome;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.Standing;
import dev.couchjobs.internal.rows.PackedCounters;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The number of jobs of a type in each state. The transaction that changes a job also changes the counters: a
 * transition decrements one of the {@linkplain PackedCounters packed counters} and increments another.
 *
 * <p>An addition must have the length of the stored number, so further states are in numbers of their own, which only
 * transitions to and from these states change.
 */
public final class StateCounters {
    private static final String COUNTS = "counts";
    private static final int SHARDS = 16;

    private static final int PENDING = 0;
    private static final int BLOCKED = 1;
    private static final int RUNNING = 2;
    private static final int SUCCEEDED = 3;
    private static final int FAILED = 4;
    private static final int CANCELLED = 5;
    /** The words of the first numbers, which are in the first shards. */
    private static final int FIRST_WORDS = 6;

    private static final int EXPIRED = 0;
    /** The words of the further numbers, most of which are unused; they are in the shards behind the first ones. */
    private static final int FURTHER_WORDS = 8;

    private final long[] first = new long[FIRST_WORDS];
    /** Most transactions change none of the further counters. */
    private long @Nullable [] further;

    /** Writes the sum of changes. */
    public static void write(Changes changes) {
        StateCounters sum = new StateCounters();
        for (SavedChange change : changes.all()) {
            sum.change(change.before(), change.after());
        }
        sum.save(changes.tx(), changes.keys(), changes.shard());
    }

    private void change(@Nullable JobRow before, @Nullable JobRow after) {
        if (before != null) {
            add(before, -1);
        }
        if (after != null) {
            add(after, 1);
        }
    }

    private void save(Transaction tx, TypeKeys keys, int shard) {
        int number = Math.floorMod(shard, SHARDS);
        save(tx, keys.table(COUNTS).pack(number), first);
        if (further != null) {
            save(tx, keys.table(COUNTS).pack(SHARDS + number), further);
        }
    }

    private static void save(Transaction tx, byte[] key, long[] changes) {
        if (PackedCounters.isAny(changes)) {
            tx.mutate(MutationType.ADD, key, PackedCounters.encode(changes));
        }
    }

    /** {@return the exact counts} */
    public static CompletableFuture<JobCounts> read(ReadTransaction tx, TypeKeys keys) {
        return tx.getRange(keys.table(COUNTS).range())
                .asList()
                .thenApply(rows -> sum(rows.stream().map(KeyValue::getValue).toList()));
    }

    private static JobCounts sum(List<byte[]> shards) {
        long[] first = PackedCounters.sum(shards, FIRST_WORDS);
        long[] further = PackedCounters.sum(shards, FURTHER_WORDS);
        return new JobCounts(
                first[PENDING],
                first[BLOCKED],
                first[RUNNING],
                first[SUCCEEDED],
                first[FAILED],
                first[CANCELLED],
                further[EXPIRED]);
    }

    private void add(JobRow row, int change) {
        int word = Standing.of(row)
                .match(
                        blocked -> BLOCKED,
                        later -> PENDING,
                        due -> PENDING,
                        running -> RUNNING,
                        ended -> word(ended.outcome()));
        if (word < FIRST_WORDS) {
            first[word] += change;
        } else {
            addFurther(word - FIRST_WORDS, change);
        }
    }

    private static int word(Outcome outcome) {
        return switch (outcome) {
            case SUCCEEDED -> SUCCEEDED;
            case FAILED -> FAILED;
            case CANCELLED -> CANCELLED;
            case EXPIRED -> FIRST_WORDS + EXPIRED;
        };
    }

    private void addFurther(int word, int change) {
        if (further == null) {
            further = new long[FURTHER_WORDS];
        }
        further[word] += change;
    }
}
