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

    /** The messages of a poll; {@code before} is the row that it read, {@code behind} the place behind the messages. */
    record Taken(int partition, GroupPartition before, Place behind, List<StoredMessage> messages) {}

    /**
     * Takes messages.
     *
     * @param token of the call; 0 in the caller's own transaction
     */
    CompletableFuture<Taken> take(Transaction tx, Candidate candidate, int limit, long token) {
        int partition = candidate.partition();
        return peek(tx, partition, limit, null, candidate.expected()).thenApply(taken -> {
            if (!taken.behind().equals(taken.before().place())) {
                tx.set(
                        table.keys().partition(group, partition),
                        taken.before().consumedTo(taken.behind(), token).encode());
            }
            return taken;
        });
    }

    /**
     * Reads messages.
     *
     * @param claim of the member that reads; null if the caller is none, and no member may hold the partition
     * @param expected where the group may be: its messages are read together with its row. Null if unknown
     */
    CompletableFuture<Taken> peek(
            ReadTransaction tx, int partition, int limit, @Nullable Claim claim, @Nullable Versionstamp expected) {
        boolean countsOwnAppends = AppendOrder.hasAppended(tx);
        CompletableFuture<Amount> tail = table.log().tail(tx, partition);
        Optional<CompletableFuture<StoredPage>> page =
                Optional.ofNullable(expected).map(place -> table.log().reader().read(tx, partition, place, limit));
        return table.partition(tx, group, partition).thenCompose(row -> {
            requireClaim(group, row, partition, claim);
            CompletableFuture<StoredPage> read = page.filter(
                            some -> !row.isSuspect() && row.place().stamp().equals(expected))
                    .orElseGet(() ->
                            table.log().reader().read(tx, partition, row.place().stamp(), row.isSuspect() ? 1 : limit));
            return read.thenCombine(
                    tail,
                    (found, appended) -> new Taken(
                            partition,
                            row,
                            behind(row.place(), found, countsOwnAppends ? null : appended),
                            found.messages()));
        });
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
