package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.topics.internal.groups.Source.Next;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What a member does with a partition that it holds. Each write commits only while the member holds the partition. */
public final class Consumption {
    /** A partition has no more parked messages, so that a member sees all of them. */
    private static final int PARKED_MAX = 1_000;

    private final GroupTable table;
    private final String group;
    private final Claim claim;
    private final ReadAhead ahead;

    public Consumption(GroupTable table, String group, Claim claim) {
        this.table = table;
        this.group = group;
        this.claim = claim;
        ahead = new ReadAhead(table.log().reader(), claim.partition());
    }

    /** A message that is handled again, behind others that came after it. */
    public record Parked(Versionstamp stamp, int failures) {}

    /**
     * The next messages of the log.
     *
     * @param isCounted whether an attempt was counted for the first of them
     */
    public Source head(int limit, boolean isCounted) {
        return new HeadSource(table, group, claim, limit, isCounted, ahead);
    }

    /** A message that is parked. */
    public Source parked(Versionstamp stamp) {
        return new ParkedSource(table, group, claim, stamp);
    }

    /**
     * Counts a failure of the first of some messages. The place of the group does not name it: the topic may remove
     * messages that are behind the place. {@return how often it has failed}
     */
    public CompletableFuture<Integer> fail(Transaction tx, Next failed) {
        Versionstamp message = failed.first();
        return held(tx).thenApply(row -> {
            int failures = row.failuresOf(message);
            if (failures > failed.failures() || row.place().stamp().compareTo(message) >= 0) {
                return failures; // an earlier try has committed
            }
            tx.set(key(), row.failedOnceMore(message).encode());
            return failures + 1;
        });
    }

    /** Parks a message that has failed. {@return false if too many are: it has to be handled in its order} */
    public CompletableFuture<Boolean> park(Transaction tx, Next failed, int failures) {
        return held(tx).thenApply(row -> {
            if (!row.place().equals(failed.before())) {
                return true; // an earlier try has committed
            }
            if (row.parked() >= PARKED_MAX) {
                return false;
            }
            tx.set(parkedKey(failed.messages().get(0).stamp()), encode(failures));
            tx.set(key(), row.consumedTo(failed.behind(), 0).withParked(1).encode());
            return true;
        });
    }

    /** {@return what is parked} */
    public CompletableFuture<List<Parked>> parked(ReadTransaction tx) {
        return tx.getRange(table.keys().parked(group, claim.partition()), PARKED_MAX)
                .asList()
                .thenApply(rows -> rows.stream().map(this::parked).toList());
    }

    private Parked parked(KeyValue row) {
        return new Parked(table.keys().stampOfParked(row.getKey()), decode(row.getValue()));
    }

    /** Counts an attempt of a parked message before it begins. {@return how many have; 0 if it is parked no more} */
    public CompletableFuture<Integer> begin(Transaction tx, Parked parked) {
        byte[] key = parkedKey(parked.stamp());
        return held(tx).thenCombine(tx.get(key), (row, value) -> {
            if (value == null) {
                return 0;
            }
            int failures = decode(value);
            if (failures > parked.failures()) {
                return failures; // an earlier try has committed
            }
            tx.set(key, encode(failures + 1));
            return failures + 1;
        });
    }

    /** The row of a parked message has its failures. */
    private static byte[] encode(int failures) {
        return Tuple.from(failures).pack();
    }

    static int decode(byte[] value) {
        return (int) Tuple.fromBytes(value).getLong(0);
    }

    private CompletableFuture<GroupPartition> held(Transaction tx) {
        return table.held(tx, group, claim);
    }

    private byte[] key() {
        return table.keys().partition(group, claim.partition());
    }

    private byte[] parkedKey(Versionstamp stamp) {
        return table.keys().parked(group, claim.partition(), stamp);
    }

    /** {@return a watch that fires when a message is appended} */
    public CompletableFuture<Void> watch(Transaction tx) {
        return tx.watch(table.log().keys().tail(claim.partition()));
    }
}
