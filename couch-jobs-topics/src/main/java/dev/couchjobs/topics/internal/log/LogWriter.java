package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.topics.TooManyMessagesException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Appends messages: a row each, and one addition to the tail of each partition. Two appends never conflict. */
public final class LogWriter {
    private static final byte[] NOTHING = {};
    /** A transaction has 10,000,000 bytes, with keys. */
    private static final long BYTES_MAX = 9_000_000;

    private final LogKeys keys;
    private final Marks marks;

    LogWriter(LogKeys keys, Marks marks) {
        this.keys = keys;
        this.marks = marks;
    }

    /** A message and its partition. */
    public record Placed(int partition, MessageRow row) {}

    /**
     * Appends messages, in this order.
     *
     * @param isCompacted whether the topic is
     * @return the number of each within the commit
     */
    public CompletableFuture<List<Integer>> append(
            Transaction tx, List<Placed> messages, boolean isCompacted, Instant now) {
        messages.forEach(placed -> check(placed.row(), isCompacted));
        Map<Integer, Amount> added = new TreeMap<>();
        messages.forEach(placed -> added.merge(placed.partition(), placed.row().amount(), Amount::plus));
        long bytes = added.values().stream().mapToLong(Amount::bytes).sum();
        if (bytes > BYTES_MAX) {
            throw new TooManyMessagesException("A transaction appends messages of " + BYTES_MAX + " bytes at most, and"
                    + " these have " + bytes + ": append them in several.");
        }
        CompletableFuture<?>[] marked = added.keySet().stream()
                .map(partition -> marks.markIfDue(tx, partition, now))
                .toArray(CompletableFuture<?>[]::new);
        List<Integer> numbers = new ArrayList<>();
        for (Placed placed : messages) {
            int number = AppendOrder.next(tx);
            write(tx, placed, number);
            if (isCompacted) {
                writeKey(tx, placed, number);
            }
            numbers.add(number);
        }
        added.forEach((partition, amount) -> tx.mutate(MutationType.ADD, keys.tail(partition), amount.encode()));
        return CompletableFuture.allOf(marked).thenApply(done -> numbers);
    }

    private static void check(MessageRow row, boolean isCompacted) {
        if (isCompacted && row.key() == null) {
            throw new IllegalArgumentException("The topic is compacted: a message needs a key.");
        }
        if (!isCompacted && row.isDeletion()) {
            throw new IllegalArgumentException("The topic is not compacted: it keeps what was appended for \""
                    + row.key() + "\", and has no deletions.");
        }
    }

    /** Compaction and reads of a key find its messages by this row, which has their size. */
    private void writeKey(Transaction tx, Placed placed, int number) {
        Stamps.setKey(
                tx,
                keys.stampsOfKey(
                        placed.partition(), Objects.requireNonNull(placed.row().key())),
                number,
                NOTHING,
                Tuple.from(placed.row().amount().bytes()).pack());
    }

    private void write(Transaction tx, Placed placed, int number) {
        byte[] prefix = keys.messages(placed.partition());
        Stamps.setKey(tx, prefix, number, NOTHING, placed.row().encode());
        List<byte[]> chunks = placed.row().chunks();
        for (int i = 0; i < chunks.size(); i++) {
            Stamps.setKey(tx, prefix, number, Tuple.from(i).pack(), chunks.get(i));
        }
    }
}
