package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.topics.internal.groups.GroupPoll.Early;
import dev.couchjobs.topics.internal.groups.GroupPoll.Taken;
import dev.couchjobs.topics.internal.log.LogReader;
import dev.couchjobs.topics.internal.log.StoredPage;
import dev.couchjobs.topics.internal.transactions.TopicTransactions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What a member needs next if what it has read last is committed. A member that catches up reads the next page while
 * the handler works, and after its own commit needs no look at the row. A message never changes, so an earlier read of
 * it does as well.
 */
final class ReadAhead {
    private final LogReader reader;
    private final int partition;

    /** Behind the messages that were read last; null if none were. */
    private volatile @Nullable Versionstamp place;

    private volatile boolean isMore;
    private volatile @Nullable Ahead ahead;

    /** The row as the member itself has committed it last; null once it was used. */
    private final AtomicReference<@Nullable GroupPartition> committed = new AtomicReference<>();

    private record Ahead(Versionstamp place, int limit, CompletableFuture<StoredPage> page) {}

    ReadAhead(LogReader reader, int partition) {
        this.reader = reader;
        this.partition = partition;
    }

    /** {@return the messages behind the member's last commit, if they were read ahead} It fails if there are none. */
    @Nullable CompletableFuture<Taken> taken(int limit) {
        GroupPartition row = committed.getAndSet(null);
        Ahead read = row == null ? null : ahead(row.place().stamp(), limit);
        return row == null || read == null
                ? null
                : read.page().thenApply(page -> taken(GroupPoll.takenAhead(partition, row, page)));
    }

    /** {@return the page that was read ahead, or one that the transaction reads} */
    @Nullable Early page(ReadTransaction tx, int limit) {
        Versionstamp from = place;
        if (from == null) {
            return null;
        }
        Ahead read = ahead(from, limit);
        return new Early(
                from,
                read == null
                        ? read(tx, from, limit)
                        : read.page()
                                .thenApply(page -> new StoredPage(page.messages(), false)) // others may follow by now
                                .exceptionallyCompose(error -> read(tx, from, limit)));
    }

    private @Nullable Ahead ahead(Versionstamp from, int limit) {
        Ahead read = ahead;
        return read != null && read.limit() == limit && read.place().equals(from) ? read : null;
    }

    Taken taken(Taken taken) {
        place = taken.behind().stamp();
        isMore = taken.isMore();
        return taken;
    }

    void committed(GroupPartition row) {
        committed.set(row);
    }

    /**
     * Reads the page behind what was read last, if there seems to be one. The embedded engine reads on the thread that
     * asks, so another one asks.
     */
    void begin(Database database, int limit) {
        Versionstamp from = place;
        ahead = from == null || !isMore
                ? null
                : new Ahead(
                        from,
                        limit,
                        CompletableFuture.completedFuture(from)
                                .thenComposeAsync(place -> page(database, place, limit), database.getExecutor()));
    }

    /** Fails at the end of the log. */
    private CompletableFuture<StoredPage> page(Database database, Versionstamp from, int limit) {
        return TopicTransactions.read(database, "consume", tx -> read(tx, from, limit))
                .thenApply(page -> {
                    if (page.messages().isEmpty()) {
                        throw new IllegalStateException("There are no more messages.");
                    }
                    return page;
                });
    }

    private CompletableFuture<StoredPage> read(ReadTransaction tx, Versionstamp from, int limit) {
        return reader.read(tx, partition, from, limit);
    }
}
