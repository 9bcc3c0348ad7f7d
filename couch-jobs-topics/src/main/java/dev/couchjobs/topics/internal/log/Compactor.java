package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Removes messages that others of their keys supersede. It goes through the log once: each message that has become old
 * removes the one before it of its key, which the rows of keys name, and a deletion removes itself, too.
 *
 * <p>What is superseded stays so: no append conflicts with a compaction.
 */
record Compactor(LogKeys keys, Marks marks, LogReader reader) {
    private static final int MARKS_AT_ONCE = 100;
    private static final int MESSAGES_AT_ONCE = 200;
    /** Usually there is one before a message; messages that cannot be decoded have removed none. */
    private static final int BEFORE_AT_ONCE = 100;

    /** A message of a key, and its size. */
    private record Keyed(String key, Versionstamp stamp, long bytes) {}

    /** {@return whether there may be more} */
    CompletableFuture<Boolean> compact(Transaction tx, int partition, RetentionRule rule, Instant now) {
        // With a conflict: two that compact do not both count.
        CompletableFuture<Trim> before = tx.get(keys.trim(partition)).thenApply(Trim::decode);
        CompletableFuture<Long> version = tx.getReadVersion();
        // Without it the messages after the last mark would stay until the next one is appended.
        CompletableFuture<Void> marked = marks.markRest(tx, partition, now);
        return before.thenCompose(trim -> marks.after(tx, partition, trim.compactedTo(), MARKS_AT_ONCE)
                .thenCombine(marked, (found, done) -> found)
                .thenCombine(version, (found, readVersion) -> oldOnes(found, rule, readVersion, now))
                .thenCompose(old -> old.isEmpty()
                        ? CompletableFuture.completedFuture(false)
                        : compactUpTo(
                                        tx,
                                        partition,
                                        trim,
                                        old.get(old.size() - 1).place())
                                .thenApply(hasMore -> hasMore || old.size() == MARKS_AT_ONCE)));
    }

    private static List<Mark> oldOnes(List<Mark> marks, RetentionRule rule, long version, Instant now) {
        return marks.stream().filter(mark -> rule.compacts(mark, version, now)).toList();
    }

    private CompletableFuture<Boolean> compactUpTo(Transaction tx, int partition, Trim trim, Versionstamp end) {
        return reader.read(tx, partition, trim.compactedTo(), MESSAGES_AT_ONCE).thenCompose(page -> {
            List<StoredMessage> old = page.messages().stream()
                    .filter(message -> message.stamp().compareTo(end) <= 0)
                    .toList();
            boolean isDone = page.isEnd() || old.size() < page.messages().size();
            Versionstamp compactedTo = isDone ? end : old.get(old.size() - 1).stamp();
            return superseded(tx, partition, old).thenApply(superseded -> {
                superseded.forEach(message -> remove(tx, partition, message));
                Amount removed = new Amount(
                        superseded.size(),
                        superseded.stream().mapToLong(Keyed::bytes).sum());
                tx.set(
                        keys.trim(partition),
                        trim.compacted(compactedTo, removed).encode());
                return !isDone;
            });
        });
    }

    /** {@return what old messages supersede, and deletions among them that nothing follows} */
    private CompletableFuture<Set<Keyed>> superseded(ReadTransaction tx, int partition, List<StoredMessage> old) {
        Set<Keyed> superseded = new LinkedHashSet<>();
        Map<String, Keyed> last = new HashMap<>();
        List<CompletableFuture<List<Keyed>>> former = new ArrayList<>();
        for (StoredMessage message : old) {
            MessageRow row = message.row();
            if (row == null || row.key() == null) { // one that cannot be decoded stays
                continue;
            }
            Keyed keyed = new Keyed(row.key(), message.stamp(), row.amount().bytes());
            Keyed before = last.put(row.key(), keyed);
            if (before == null) {
                former.add(before(tx, partition, keyed));
            } else {
                superseded.add(before);
            }
            if (row.isDeletion()) {
                superseded.add(keyed);
            }
        }
        return CompletableFuture.allOf(former.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    former.forEach(found -> superseded.addAll(found.join()));
                    return superseded;
                });
    }

    private CompletableFuture<List<Keyed>> before(ReadTransaction tx, int partition, Keyed message) {
        Range range = new Range(
                keys.ofKey(partition, message.key()).begin, keys.ofKey(partition, message.key(), message.stamp()));
        return tx.snapshot()
                .getRange(range, BEFORE_AT_ONCE, true)
                .asList()
                .thenApply(rows ->
                        rows.stream().map(row -> keyed(message.key(), row)).toList());
    }

    private Keyed keyed(String key, KeyValue row) {
        return new Keyed(
                key,
                keys.stampOfKey(row.getKey()),
                Tuple.fromBytes(row.getValue()).getLong(0));
    }

    private void remove(Transaction tx, int partition, Keyed message) {
        tx.clear(keys.message(partition, message.stamp()));
        tx.clear(keys.ofKey(partition, message.key(), message.stamp()));
    }
}
