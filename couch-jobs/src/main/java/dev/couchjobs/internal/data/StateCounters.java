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
 * <p>The counters of several states are the words of one little-endian number. A transition decrements one word and
 * increments another by a single atomic addition. A word that is negative in one shard borrows from the next word; in
 * the sum of all shards every word is correct. An addition must have the length of the stored number, so further states
 * are in numbers of their own, which only transitions to and from these states change.
 */
public final class StateCounters {
    private static final int SHARDS = 16;
    private static final int WORD_BITS = 64;

    private static final int PENDING = 0;
    private static final int BLOCKED = 1;
    private static final int RUNNING = 2;
    private static final int SUCCEEDED = 3;
    private static final int FAILED = 4;
    private static final int CANCELLED = 5;
    /** The words of the first numbers, which are in the first shards. */
    private static final int FIRST_WORDS = 6;

    private static final int EXPIRED = FIRST_WORDS;
    /** The words of the further numbers, most of which are unused; they are in the shards behind the first ones. */
    private static final int FURTHER_WORDS = 8;

    private final long[] changes = new long[FIRST_WORDS + FURTHER_WORDS];

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
        int number = Math.floorMod(shard, SHARDS);
        save(tx, keys.counts(number), 0, FIRST_WORDS);
        save(tx, keys.counts(SHARDS + number), FIRST_WORDS, changes.length);
    }

    private void save(Transaction tx, byte[] key, int from, int to) {
        if (Arrays.stream(changes, from, to).anyMatch(change -> change != 0)) {
            tx.mutate(MutationType.ADD, key, littleEndian(from, to));
        }
    }

    /** {@return the exact counts} */
    public static CompletableFuture<JobCounts> read(ReadTransaction tx, TypeKeys keys) {
        return tx.getRange(keys.counts()).asList().thenApply(StateCounters::sum);
    }

    private static JobCounts sum(List<KeyValue> shards) {
        long[] first = sum(shards, FIRST_WORDS);
        long[] further = sum(shards, FURTHER_WORDS);
        return new JobCounts(
                first[PENDING],
                first[BLOCKED],
                first[RUNNING],
                first[SUCCEEDED],
                first[FAILED],
                first[CANCELLED],
                further[EXPIRED - FIRST_WORDS]);
    }

    /** {@return the sums of the numbers with so many words} */
    private static long[] sum(List<KeyValue> shards, int wordCount) {
        BigInteger rest = shards.stream()
                .filter(shard -> shard.getValue().length == wordCount * Long.BYTES)
                .map(shard -> new BigInteger(reversed(shard.getValue())))
                .reduce(BigInteger.ZERO, BigInteger::add);
        long[] words = new long[wordCount];
        for (int word = 0; word < wordCount; word++) {
            words[word] = rest.longValue();
            rest = rest.subtract(BigInteger.valueOf(words[word])).shiftRight(WORD_BITS);
        }
        return words;
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
            case EXPIRED -> EXPIRED;
        };
    }

    /** {@return some of the changes as one number, in which a negative word borrows from the next} */
    private byte[] littleEndian(int from, int to) {
        ByteBuffer value = ByteBuffer.allocate((to - from) * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long borrowed = 0;
        for (int word = from; word < to; word++) {
            value.putLong(changes[word] - borrowed);
            borrowed = changes[word] - borrowed < 0 ? 1 : 0;
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
