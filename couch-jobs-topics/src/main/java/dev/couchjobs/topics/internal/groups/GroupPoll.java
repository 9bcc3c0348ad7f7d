package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.topics.PartitionLostException;
import dev.couchjobs.topics.internal.groups.Peeks.Candidate;
import dev.couchjobs.topics.internal.log.Amount;
import dev.couchjobs.topics.internal.log.AppendOrder;
import dev.couchjobs.topics.internal.log.Place;
import dev.couchjobs.topics.internal.log.StoredMessage;
import dev.couchjobs.topics.internal.log.StoredPage;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Takes the next messages of a partition, and moves the group behind them in the same transaction. */
final class GroupPoll {
    private final GroupTable table;
    private final String group;

    GroupPoll(GroupTable table, String group) {
        this.table = table;
        this.group = group;
    }

    /**
     * The messages of a poll.
     *
     * @param before the row that it read
     * @param behind the place behind the messages
     * @param isMore whether more messages seem to be behind them
     */
    record Taken(int partition, GroupPartition before, Place behind, boolean isMore, List<StoredMessage> messages) {}

    /** A page behind a place where the group may be, read before that is known. */
    record Early(Versionstamp place, CompletableFuture<StoredPage> page) {}

    /**
     * Takes messages.
     *
     * @param token of the call; 0 in the caller's own transaction
     */
    CompletableFuture<Taken> take(Transaction tx, Candidate candidate, int limit, long token) {
        int partition = candidate.partition();
        return peek(tx, partition, limit, null, early(tx, candidate, limit)).thenApply(taken -> {
            if (!taken.behind().equals(taken.before().place())) {
                tx.set(
                        table.keys().partition(group, partition),
                        taken.before().consumedTo(taken.behind(), token).encode());
            }
            return taken;
        });
    }

    /** {@return the messages where the group may be, read together with its row; null if that place is unknown} */
    @Nullable Early early(ReadTransaction tx, Candidate candidate, int limit) {
        Versionstamp expected = candidate.expected();
        return expected == null
                ? null
                : new Early(expected, table.log().reader().read(tx, candidate.partition(), expected, limit));
    }

    /**
     * Reads messages.
     *
     * @param claim of the member that reads; null if the caller is none, and no member may hold the partition
     * @param early null if there is none
     */
    CompletableFuture<Taken> peek(
            ReadTransaction tx, int partition, int limit, @Nullable Claim claim, @Nullable Early early) {
        boolean countsOwnAppends = AppendOrder.hasAppended(tx);
        CompletableFuture<Amount> tail = table.log().tail(tx, partition);
        return table.partition(tx, group, partition).thenCompose(row -> {
            requireClaim(group, row, partition, claim);
            Versionstamp place = row.place().stamp();
            CompletableFuture<StoredPage> read = early != null && !row.isSuspect() && place.equals(early.place())
                    ? early.page()
                    : table.log().reader().read(tx, partition, place, row.isSuspect() ? 1 : limit);
            return read.thenCombine(tail, (found, appended) -> {
                Place behind = behind(row.place(), found, countsOwnAppends ? null : appended);
                return new Taken(partition, row, behind, appended.messages() > behind.number(), found.messages());
            });
        });
    }

    /** {@return the messages of a page that was read before the row was known} */
    static Taken takenAhead(int partition, GroupPartition row, StoredPage page) {
        Place behind = behind(row.place(), page, null);
        return new Taken(partition, row, behind, !page.isEnd(), page.messages());
    }

    /**
     * At the end of the log the number of the place is known, whatever it was before.
     *
     * @param appended null if it counts messages that this transaction appends, which it does not see
     */
    private static Place behind(Place before, StoredPage page, @Nullable Amount appended) {
        List<StoredMessage> messages = page.messages();
        return new Place(
                messages.isEmpty()
                        ? before.stamp()
                        : messages.get(messages.size() - 1).stamp(),
                page.isEnd() && appended != null ? appended.messages() : before.number() + messages.size());
    }

    /** Fails unless the row of a partition names the member, or none if the caller is no member. */
    static void requireClaim(String group, GroupPartition row, int partition, @Nullable Claim claim) {
        if (claim == null ? row.holder() != null : !row.isHeldBy(claim)) {
            String holder = Optional.ofNullable(row.holder())
                    .map(name -> "consumer \"" + name + "\" holds it")
                    .orElse("no consumer holds it");
            throw new PartitionLostException("Partition " + partition + " cannot be consumed by "
                    + (claim == null ? "a poll" : "\"" + claim.member() + "\"") + " for group \"" + group + "\": "
                    + holder + ". Nothing was consumed.");
        }
    }
}
