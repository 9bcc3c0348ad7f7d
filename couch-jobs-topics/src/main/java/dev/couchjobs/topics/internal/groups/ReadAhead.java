package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.loop.GuardedExecutor;
import dev.couchjobs.topics.internal.groups.GroupPoll.Early;
import dev.couchjobs.topics.internal.groups.GroupPoll.Taken;
import dev.couchjobs.topics.internal.log.LogReader;
import dev.couchjobs.topics.internal.log.StoredPage;
import dev.couchjobs.topics.internal.transactions.TopicTransactions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What a member needs next if what it has read last is committed. A member that catches up reads the next two pages
 * while the handler works, and after its own commit needs no look at the row. A message never changes, so an earlier
 * read of it does as well.
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

    /** The page behind a place, and the one behind that page. Either fails if there is none. */
    private record Ahead(
            Versionstamp place, int limit, CompletableFuture<StoredPage> page, CompletableFuture<StoredPage> next) {

        boolean isAt(Versionstamp from, int count) {
            return limit == count && place.equals(from);
        }

        boolean endsAt(Versionstamp end, int count) {
            return limit == count
                    && page.isDone()
                    && !page.isCompletedExceptionally()
                    && last(page.join()).equals(end);
        }
    }

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
        return read != null && read.isAt(from, limit) ? read : null;
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
     * Reads on behind what was read last, if there seems to be more. The embedded engine reads on the thread that asks.
     * So another one asks, and goes on with the next page itself: to wake a thread takes as long as half a page.
     */
    void begin(Database database, int limit) {
        Versionstamp from = place;
        if (from == null || !isMore) {
            ahead = null;
            return;
        }
        Ahead former = ahead;
        CompletableFuture<StoredPage> page = former != null && former.endsAt(from, limit)
                ? former.next()
                : behind(database, CompletableFuture.completedFuture(from), limit);
        ahead = new Ahead(from, limit, page, behind(database, page.thenApply(ReadAhead::last), limit));
    }

    private CompletableFuture<StoredPage> behind(Database database, CompletableFuture<Versionstamp> place, int limit) {
        return place.isDone()
                ? place.thenComposeAsync(from -> page(database, from, limit), GuardedExecutor.of(database))
                : place.thenCompose(from -> page(database, from, limit));
    }

    private static Versionstamp last(StoredPage page) {
        return page.messages().get(page.messages().size() - 1).stamp();
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
