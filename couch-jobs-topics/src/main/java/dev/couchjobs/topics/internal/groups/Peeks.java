package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.topics.GroupInfo.PartitionLag;
import dev.couchjobs.topics.PartitionLostException;
import dev.couchjobs.topics.internal.log.Place;
import dev.couchjobs.topics.internal.log.StoredMessage;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

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

    /** {@return the partitions that have messages and no holder, beginning with one of them} */
    public CompletableFuture<List<Integer>> candidates(ReadTransaction tx, int partitions, int first) {
        return table.lags(tx, group, partitions)
                .thenApply(lags -> IntStream.range(0, partitions)
                        .map(turn -> Math.floorMod(turn + first, partitions))
                        .filter(partition -> isOpen(lags.get(partition)))
                        .boxed()
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
    public CompletableFuture<Peeked> peek(ReadTransaction tx, List<Integer> partitions, int limit, long token) {
        if (partitions.isEmpty()) {
            return CompletableFuture.completedFuture(new Peeked(0, List.of(), ""));
        }
        int partition = partitions.get(0);
        return new GroupPoll(table, group).peek(tx, partition, limit, null).thenCompose(taken -> {
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
