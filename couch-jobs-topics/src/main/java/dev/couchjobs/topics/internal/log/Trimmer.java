package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Removes the beginning of a partition: one range, up to a mark, however many messages it has. */
record Trimmer(LogKeys keys, Marks marks) {
    private static final int MARKS_AT_ONCE = 100;

    CompletableFuture<Boolean> trim(Transaction tx, int partition, RetentionRule rule, Place consumed, Instant now) {
        CompletableFuture<List<Mark>> oldest = marks.oldest(tx, partition, MARKS_AT_ONCE);
        CompletableFuture<Amount> tail = tx.snapshot().get(keys.tail(partition)).thenApply(Amount::decode);
        // With a conflict: two that trim do not both count.
        CompletableFuture<Trim> before = tx.get(keys.trim(partition)).thenApply(Trim::decode);
        CompletableFuture<Long> version = tx.getReadVersion();
        // Without it the messages after the last mark would stay until the next one is appended.
        CompletableFuture<Void> marked = marks.markRest(tx, partition, now);
        return CompletableFuture.allOf(oldest, tail, before, version, marked).thenCompose(done -> {
            // A mark of a clock that is ahead does not keep what is before a later one.
            Optional<Mark> last = oldest.join().stream()
                    .filter(mark -> rule.removes(mark, tail.join(), consumed, version.join(), now))
                    .reduce((former, later) -> later);
            boolean hasMore = last.isPresent()
                    && oldest.join().size() == MARKS_AT_ONCE
                    && last.get().equals(oldest.join().get(MARKS_AT_ONCE - 1));
            return last.filter(mark -> mark.place().compareTo(before.join().stamp()) > 0)
                    .map(mark -> remove(tx, partition, before.join(), mark))
                    .orElseGet(() -> CompletableFuture.completedFuture(null))
                    .thenApply(removed -> hasMore);
        });
    }

    /** The row names the last message that goes, not the mark: a reader behind that message has missed none. */
    private CompletableFuture<Void> remove(Transaction tx, int partition, Trim before, Mark mark) {
        Range messages = keys.messagesUpTo(partition, mark.place());
        return tx.snapshot().getRange(messages, 1, true).asList().thenAccept(last -> {
            Versionstamp stamp = last.isEmpty()
                    ? before.stamp()
                    : LogKeys.stamp(keys.messages(partition), last.get(0).getKey());
            tx.clear(messages);
            tx.clear(new Range(keys.marks(partition).begin, keys.mark(partition, mark.version() + 1)));
            tx.set(keys.trim(partition), new Trim(stamp, mark.amount(), Stamps.FIRST).encode());
        });
    }
}
