package dev.couchjobs.internal.data;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobState;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The number of jobs of a type in each state. The transaction that changes a job also changes the counters.
 *
 * <p>The counters of all states are the words of one little-endian number. A transition decrements one word and
 * increments another by a single atomic addition. A word that is negative in one shard borrows from the next word; in
 * the sum of all shards every word is correct.
 */
public final class StateCounters {
    private static final int SHARDS = 16;
    private static final int WORD_BITS = 64;
    private static final int WORDS = 6;
    private static final int BYTES = WORDS * WORD_BITS / Byte.SIZE;

    private static final int PENDING = 0;
    private static final int BLOCKED = 1;
    private static final int RUNNING = 2;
    private static final int SUCCEEDED = 3;
    private static final int FAILED = 4;
    private static final int CANCELLED = 5;

    private final long[] changes = new long[WORDS];

    /** Adds the change of a job. */
    void change(@Nullable JobRow before, @Nullable JobRow after) {
        if (before != null) {
            changes[word(before)]--;
        }
        if (after != null) {
            changes[word(after)]++;
        }
    }

    /** Writes the sum of the changes, unless it is zero. */
    void save(Transaction tx, TypeKeys keys, int shard) {
        if (Arrays.stream(changes).anyMatch(change -> change != 0)) {
            tx.mutate(MutationType.ADD, keys.counts(Math.floorMod(shard, SHARDS)), littleEndian(changes));
        }
    }

    /** {@return the exact counts} */
    public static CompletableFuture<JobCounts> read(ReadTransaction tx, TypeKeys keys) {
        return tx.getRange(keys.counts()).asList().thenApply(StateCounters::sum);
    }

    private static JobCounts sum(List<KeyValue> shards) {
        BigInteger rest = shards.stream()
                .map(shard -> new BigInteger(reversed(shard.getValue())))
                .reduce(BigInteger.ZERO, BigInteger::add);
        long[] words = new long[WORDS];
        for (int word = 0; word < WORDS; word++) {
            words[word] = rest.longValue();
            rest = rest.subtract(BigInteger.valueOf(words[word])).shiftRight(WORD_BITS);
        }
        return new JobCounts(
                words[PENDING], words[BLOCKED], words[RUNNING], words[SUCCEEDED], words[FAILED], words[CANCELLED]);
    }

    private static int word(JobRow row) {
        if (row.state() == JobState.RUNNING) {
            return RUNNING;
        }
        if (row.state() == JobState.PENDING) {
            return row.options().isBlocked() ? BLOCKED : PENDING;
        }
        return switch (row.outcome()) {
            case SUCCEEDED -> SUCCEEDED;
            case FAILED -> FAILED;
            case CANCELLED -> CANCELLED;
        };
    }

    /** {@return the words as one number, in which a negative word borrows from the next} */
    private static byte[] littleEndian(long[] words) {
        ByteBuffer value = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long borrowed = 0;
        for (long word : words) {
            value.putLong(word - borrowed);
            borrowed = word - borrowed < 0 ? 1 : 0;
        }
        return value.array();
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }
}
