package dev.couchjobs.topics.internal.messages;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.topics.Appended;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.internal.log.LogWriter.Placed;
import dev.couchjobs.topics.internal.log.TopicRow;
import dev.couchjobs.topics.internal.log.TopicTable;
import dev.couchjobs.topics.internal.transactions.TopicTransactions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Messages that are appended in one transaction, with all its tries. */
public final class AppendCall {
    private final TopicTable table;
    private final String topicName;
    private final Function<TopicRow, List<Placed>> messages;
    private final Instant now;

    private volatile @Nullable Tried tried;

    /** What the first try wrote to a topic: a later try finds it if it has committed. */
    private record Tried(long topicId, long readVersion, List<Placed> messages) {
        int firstPartition() {
            return messages.get(0).partition();
        }

        long token() {
            return messages.get(0).row().token();
        }
    }

    /** The stamp of the first message is known when the transaction has committed. */
    private record Written(CompletableFuture<Versionstamp> first) {}

    /** @param messages places the messages in the partitions of the topic */
    public AppendCall(TopicTable table, String topicName, Function<TopicRow, List<Placed>> messages, Instant now) {
        this.table = table;
        this.topicName = topicName;
        this.messages = messages;
        this.now = now;
    }

    /** Appends in the caller's transaction. */
    public CompletableFuture<List<Appended>> join(Transaction tx) {
        return table.get(tx, topicName).thenCompose(row -> {
            List<Placed> placed = messages.apply(row);
            if (placed.isEmpty()) {
                return CompletableFuture.completedFuture(List.of());
            }
            CompletableFuture<byte[]> stamp = tx.getVersionstamp();
            return write(tx, row, placed).thenApply(numbers -> {
                List<Appended> results = new ArrayList<>();
                for (int i = 0; i < numbers.size(); i++) {
                    int number = numbers.get(i);
                    results.add(new Appended(
                            placed.get(i).partition(),
                            number,
                            stamp.thenApply(bytes -> new Offset(Versionstamp.complete(bytes, number)))));
                }
                return List.copyOf(results);
            });
        });
    }

    /** Appends in a transaction of its own. The token of the first message tells a later try what has committed. */
    public CompletableFuture<List<Appended>> commit(TransactionContext database) {
        return TopicTransactions.run(database, "append " + topicName, this::tryOnce)
                .thenCompose(Written::first)
                .thenApply(this::results);
    }

    private CompletableFuture<Written> tryOnce(Transaction tx) {
        return table.get(tx, topicName).thenCompose(row -> {
            Tried before = tried;
            // A topic that was made again has other partitions, and nothing of an earlier try.
            return before == null || before.topicId() != row.id()
                    ? tx.getReadVersion().thenCompose(version -> {
                        tried = new Tried(row.id(), version, messages.apply(row));
                        return append(tx, row);
                    })
                    : table.log(row)
                            .findToken(tx, before.firstPartition(), before.token(), before.readVersion())
                            .thenCompose(found -> found.isPresent()
                                    ? CompletableFuture.completedFuture(
                                            new Written(CompletableFuture.completedFuture(found.get())))
                                    : append(tx, row));
        });
    }

    private CompletableFuture<Written> append(Transaction tx, TopicRow row) {
        CompletableFuture<byte[]> stamp = tx.getVersionstamp();
        return write(tx, row, tried().messages())
                .thenApply(
                        numbers -> new Written(stamp.thenApply(bytes -> Versionstamp.complete(bytes, numbers.get(0)))));
    }

    private CompletableFuture<List<Integer>> write(Transaction tx, TopicRow row, List<Placed> placed) {
        boolean isCompacted = row.settings().compactAfter().isPresent();
        return table.log(row).writer().append(tx, placed, isCompacted, now);
    }

    private Tried tried() {
        return Objects.requireNonNull(tried);
    }

    /** The first message has the number that was found, and the others follow it. */
    private List<Appended> results(Versionstamp first) {
        List<Placed> placed = tried().messages();
        List<Appended> results = new ArrayList<>(placed.size());
        for (int i = 0; i < placed.size(); i++) {
            int number = first.getUserVersion() + i;
            Offset offset = new Offset(Versionstamp.complete(first.getTransactionVersion(), number));
            results.add(new Appended(placed.get(i).partition(), number, CompletableFuture.completedFuture(offset)));
        }
        return results;
    }
}
