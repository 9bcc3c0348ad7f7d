package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.topics.internal.log.Place;
import dev.couchjobs.topics.internal.log.StoredMessage;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What a member does with a partition that it holds. Each write commits only while the member holds the partition. */
public final class Consumption {
    private final GroupTable table;
    private final String group;
    private final Claim claim;
    private final GroupPoll poll;

    public Consumption(GroupTable table, String group, Claim claim) {
        this.table = table;
        this.group = group;
        this.claim = claim;
        poll = new GroupPoll(table, group);
    }

    /**
     * The next messages of the partition.
     *
     * @param failures how often the first of them has failed
     */
    public record Next(Place before, Place behind, int failures, List<StoredMessage> messages) {}

    /** Takes messages, and moves the group behind them in the same transaction. */
    public CompletableFuture<Next> take(Transaction tx, int limit) {
        return poll.take(tx, claim.partition(), limit, claim, 0).thenApply(Consumption::next);
    }

    /** Reads messages without moving the group. */
    public CompletableFuture<Next> peek(ReadTransaction tx, int limit) {
        return poll.peek(tx, claim.partition(), limit, claim).thenApply(Consumption::next);
    }

    private static Next next(GroupPoll.Taken taken) {
        return new Next(taken.before().place(), taken.behind(), taken.before().failures(), taken.messages());
    }

    /** Moves the group behind messages that were read before. {@return false if it is elsewhere} */
    public CompletableFuture<Boolean> commit(Transaction tx, Next consumed) {
        return held(tx).thenApply(row -> {
            if (!row.place().equals(consumed.before())) {
                return false;
            }
            tx.set(key(), row.consumedTo(consumed.behind(), 0).encode());
            return true;
        });
    }

    /** Counts a failure of the message behind a place. {@return how often it has failed} */
    public CompletableFuture<Integer> fail(Transaction tx, Next failed) {
        return held(tx).thenApply(row -> {
            if (!row.place().equals(failed.before()) || row.failures() > failed.failures()) {
                return row.failures(); // an earlier try has committed
            }
            tx.set(key(), row.failedOnceMore().encode());
            return row.failures() + 1;
        });
    }

    private CompletableFuture<GroupPartition> held(Transaction tx) {
        return table.partition(tx, group, claim.partition()).thenApply(row -> {
            poll.requireClaim(row, claim.partition(), claim);
            return row;
        });
    }

    private byte[] key() {
        return table.keys().partition(group, claim.partition());
    }

    /** {@return a watch that fires when a message is appended} */
    public CompletableFuture<Void> watch(Transaction tx) {
        return tx.watch(table.log().keys().tail(claim.partition()));
    }
}
