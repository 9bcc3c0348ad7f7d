package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
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
        return CompletableFuture.allOf(oldest, tail, before, version, marked).thenApply(done -> {
            // A mark of a clock that is ahead does not keep what is before a later one.
            Optional<Mark> last = oldest.join().stream()
                    .filter(mark -> rule.removes(mark, tail.join(), consumed, version.join(), now))
                    .reduce((former, later) -> later);
            last.filter(mark -> mark.place().compareTo(before.join().stamp()) > 0)
                    .ifPresent(mark -> remove(tx, partition, mark));
            return last.isPresent()
                    && oldest.join().size() == MARKS_AT_ONCE
                    && last.get().equals(oldest.join().get(MARKS_AT_ONCE - 1));
        });
    }

    private void remove(Transaction tx, int partition, Mark mark) {
        tx.clear(keys.messagesUpTo(partition, mark.place()));
        tx.clear(new Range(keys.marks(partition).begin, keys.mark(partition, mark.version() + 1)));
        tx.set(keys.trim(partition), new Trim(mark.place(), mark.amount(), Stamps.FIRST).encode());
    }
}
