package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.topics.GroupInfo.PartitionLag;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.PartitionLostException;
import dev.couchjobs.topics.internal.log.Place;
import dev.couchjobs.topics.internal.log.Stamps;
import dev.couchjobs.topics.internal.log.StoredMessage;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads of a group that are committed later, if at all, by callers that are no members. */
public final class Peeks {
    private final GroupTable table;
    private final String group;

    public Peeks(GroupTable table, String group) {
        this.table = table;
        this.group = group;
    }

    /** Messages that a group has still to consume. */
    public record Peeked(int partition, List<StoredMessage> messages, String cursor) {}

    /**
     * A partition that may have messages for the group.
     *
     * @param expected where the group may be; null if that is not known
     */
    public record Candidate(int partition, @Nullable Versionstamp expected) {}

    /**
     * {@return the partitions that have messages and no holder, beginning with one of them}
     *
     * @param chosen the only one, if the caller has chosen it
     */
    public CompletableFuture<List<Candidate>> candidates(
            ReadTransaction tx, OptionalInt chosen, int partitions, int first) {
        if (chosen.isPresent()) {
            return CompletableFuture.completedFuture(List.of(new Candidate(chosen.getAsInt(), null)));
        }
        return table.readableLags(tx, group, partitions)
                .thenApply(lags -> IntStream.range(0, lags.size())
                        .mapToObj(turn -> lags.get(Math.floorMod(turn + first, lags.size())))
                        .filter(Peeks::isOpen)
                        .map(lag -> new Candidate(
                                lag.partition(),
                                lag.offset().map(Offset::versionstamp).orElse(Stamps.FIRST)))
                        .toList());
    }

    private static boolean isOpen(PartitionLag lag) {
        return lag.lag() > 0 && lag.holder().isEmpty();
    }

    /**
     * {@return the messages of the first partition that has some}
     *
     * @param token tells this read from others
     */
    public CompletableFuture<Peeked> peek(ReadTransaction tx, List<Candidate> partitions, int limit, long token) {
        if (partitions.isEmpty()) {
            return CompletableFuture.completedFuture(new Peeked(0, List.of(), ""));
        }
        int partition = partitions.get(0).partition();
        GroupPoll poll = new GroupPoll(table, group);
        return poll.peek(tx, partition, limit, null, poll.early(tx, partitions.get(0), limit))
                .thenCompose(taken -> {
                    if (taken.messages().isEmpty() && partitions.size() > 1) {
                        return peek(tx, partitions.subList(1, partitions.size()), limit, token);
                    }
                    Cursor cursor = new Cursor(partition, taken.before().place(), taken.behind(), token);
                    return CompletableFuture.completedFuture(new Peeked(partition, taken.messages(), cursor.encode()));
                });
    }

    /** Moves the group from where a cursor has found it to where the cursor goes. */
    public CompletableFuture<Void> commit(Transaction tx, String cursor) {
        Cursor wanted = Cursor.decode(cursor);
        return table.partition(tx, group, wanted.partition()).thenAccept(row -> {
            if (row.calls().contains(wanted.token())) {
                return; // an earlier try has committed
            }
            if (row.holder() != null
                    || !row.place().stamp().equals(wanted.before().stamp())) {
                throw new PartitionLostException("Group \"" + group + "\" has been moved in partition "
                        + wanted.partition() + " since these messages were read: read again. This call has committed"
                        + " nothing.");
            }
            Place behind = wanted.behind();
            tx.set(
                    table.keys().partition(group, wanted.partition()),
                    row.consumedTo(behind, wanted.token()).encode());
        });
    }
}
