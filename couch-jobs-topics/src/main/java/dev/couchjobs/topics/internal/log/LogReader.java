package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.async.AsyncIterator;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.loop.GuardedExecutor;
import dev.couchjobs.topics.UncommittedMessagesException;
import dev.couchjobs.topics.internal.transactions.RootCauses;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages. The reads add no conflicts: a message that is there never changes, and an append is no conflict for a
 * reader, which sees it next time.
 */
public final class LogReader {
    private static final int ACCESSED_UNREADABLE = 1036;
    /** Much less than a transaction reads in its five seconds. */
    private static final long PAGE_BYTES = 2_000_000;

    private final LogKeys keys;

    public LogReader(LogKeys keys) {
        this.keys = keys;
    }

    /** {@return the messages behind a place; fewer than the limit if they are large} */
    public CompletableFuture<StoredPage> read(ReadTransaction tx, int partition, Versionstamp after, int limit) {
        MessageAssembler assembler = new MessageAssembler(keys.messages(partition), limit);
        Range range = keys.messagesAfter(partition, after);
        return read(tx.snapshot(), KeySelector.firstGreaterOrEqual(range.begin), range.end, limit, assembler)
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(explained(error, partition)));
    }

    /** {@return the message at a place, if it is kept} */
    public CompletableFuture<Optional<StoredMessage>> find(ReadTransaction tx, int partition, Versionstamp place) {
        return read(tx, partition, Stamps.before(place), 1)
                .thenApply(page -> page.messages().stream()
                        .filter(message -> message.stamp().equals(place))
                        .findFirst());
    }

    static Throwable explained(Throwable error, int partition) {
        Throwable cause = RootCauses.of(error);
        return cause instanceof FDBException failure && failure.getCode() == ACCESSED_UNREADABLE
                ? new UncommittedMessagesException(partition, cause)
                : error;
    }

    private CompletableFuture<StoredPage> read(
            ReadTransaction tx, KeySelector begin, byte[] end, int limit, MessageAssembler assembler) {
        int rowsMax = limit - assembler.count();
        RowScan scan = new RowScan(
                assembler,
                tx.getRange(begin, KeySelector.firstGreaterOrEqual(end), rowsMax, false, StreamingMode.WANT_ALL)
                        .iterator());
        return GuardedExecutor.whileTrue(scan::next, GuardedExecutor.of(tx)).thenCompose(done -> {
            boolean isEnd = scan.isExhausted && scan.rows < rowsMax;
            if (isEnd) {
                return CompletableFuture.completedFuture(new StoredPage(assembler.end(), true));
            }
            byte[] last = scan.last;
            if (last != null
                    && (assembler.isWithinMessage() || (assembler.count() < limit && assembler.bytes() < PAGE_BYTES))) {
                return read(tx, KeySelector.firstGreaterThan(last), end, nextLimit(limit, assembler), assembler);
            }
            return CompletableFuture.completedFuture(new StoredPage(assembler.complete(), false));
        });
    }

    /** A message that is not complete goes beyond the limit by one. */
    private static int nextLimit(int limit, MessageAssembler assembler) {
        return Math.max(limit, assembler.count() + 1);
    }

    /** Hands rows on until there are enough bytes, and the message that has begun is complete. */
    private static final class RowScan {
        private final MessageAssembler assembler;
        private final AsyncIterator<KeyValue> iterator;
        int rows;
        byte @Nullable [] last;
        boolean isExhausted;

        RowScan(MessageAssembler assembler, AsyncIterator<KeyValue> iterator) {
            this.assembler = assembler;
            this.iterator = iterator;
        }

        /** Takes the rows that are there, and the next one when it comes. {@return whether there may be more} */
        CompletableFuture<Boolean> next() {
            CompletableFuture<Boolean> has = iterator.onHasNext();
            while (has.isDone() && !has.isCompletedExceptionally()) {
                if (!take(has.join())) {
                    return CompletableFuture.completedFuture(false);
                }
                has = iterator.onHasNext();
            }
            return has.thenApply(this::take);
        }

        private boolean take(boolean has) {
            if (!has) {
                isExhausted = true;
                return false;
            }
            KeyValue row = iterator.next();
            rows++;
            last = row.getKey();
            assembler.add(row);
            if (assembler.bytes() >= PAGE_BYTES && !assembler.isWithinMessage()) {
                iterator.cancel();
                return false;
            }
            return true;
        }
    }
}
