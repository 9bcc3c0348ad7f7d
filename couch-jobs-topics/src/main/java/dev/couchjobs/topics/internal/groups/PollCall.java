package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.PollResultUnknownException;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.internal.groups.GroupPoll.Taken;
import dev.couchjobs.topics.internal.groups.Peeks.Candidate;
import dev.couchjobs.topics.internal.log.StoredMessage;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One call of poll, with all its tries. */
public final class PollCall {
    private final String group;
    private final OptionalInt partition;
    private final int firstTurn;
    private final int limit;
    private final Instant now;
    private final long token;

    /** What the last try took: if it has committed, its token is among those of the row. */
    private volatile @Nullable Taken lastTaken;

    /**
     * @param partition the only one to look at
     * @param firstTurn the partition to look at first, of several
     * @param token of the call; 0 in the caller's own transaction, which is not tried again here
     */
    public PollCall(String group, OptionalInt partition, int firstTurn, int limit, Instant now, long token) {
        this.group = group;
        this.partition = partition;
        this.firstTurn = firstTurn;
        this.limit = limit;
        this.now = now;
        this.token = token;
    }

    /** The messages of one partition. */
    public record Polled(int partition, List<StoredMessage> messages) {}

    /** Makes one try. */
    public CompletableFuture<Polled> run(Transaction tx, GroupTable table, int partitions) {
        Taken before = lastTaken;
        if (token == 0 || before == null) {
            return take(tx, table, partitions);
        }
        return table.partition(tx, group, before.partition()).thenCompose(row -> {
            if (row.calls().contains(token)) {
                return CompletableFuture.completedFuture(new Polled(before.partition(), before.messages()));
            }
            return row.calls().reachesBackTo(before.before().calls())
                    ? take(tx, table, partitions)
                    : CompletableFuture.failedFuture(unknown(before));
        });
    }

    private static PollResultUnknownException unknown(Taken before) {
        return new PollResultUnknownException(
                before.partition(), new Offset(before.before().place().stamp()));
    }

    private CompletableFuture<Polled> take(Transaction tx, GroupTable table, int partitions) {
        GroupPoll poll = new GroupPoll(table, group);
        CompletableFuture<List<Candidate>> candidates =
                new Peeks(table, group).candidates(tx, partition, partitions, firstTurn);
        return table.create(tx, group, partitions, Position.earliest(), now)
                .thenCompose(created -> candidates)
                .thenCompose(found -> takeFirst(tx, poll, found, 0));
    }

    private CompletableFuture<Polled> takeFirst(Transaction tx, GroupPoll poll, List<Candidate> candidates, int index) {
        if (index == candidates.size()) {
            return CompletableFuture.completedFuture(new Polled(0, List.of()));
        }
        return poll.take(tx, candidates.get(index), limit, token).thenCompose(taken -> {
            if (taken.messages().isEmpty()) {
                return takeFirst(tx, poll, candidates, index + 1);
            }
            if (token != 0) {
                lastTaken = taken;
            }
            return CompletableFuture.completedFuture(new Polled(taken.partition(), taken.messages()));
        });
    }
}
