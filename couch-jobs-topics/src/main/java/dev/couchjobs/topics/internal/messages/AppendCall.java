package dev.couchjobs.topics.internal.messages;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.topics.Appended;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.internal.log.Log;
import dev.couchjobs.topics.internal.log.LogWriter.Placed;
import dev.couchjobs.topics.internal.log.TopicRow;
import dev.couchjobs.topics.internal.log.TopicTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One call of append, with all its tries. */
public final class AppendCall {
    private final TopicTable table;
    private final String topicName;
    private final Function<TopicRow, List<Placed>> messages;
    private final Instant now;
    private final long token;

    private volatile @Nullable Tried tried;

    /** What the first try of a call wrote: a later try finds it if it has committed. */
    private record Tried(long readVersion, List<Placed> messages) {}

    /**
     * @param messages places the messages in the partitions of the topic
     * @param token of the call; 0 in the caller's own transaction, which is not tried again here
     */
    public AppendCall(
            TopicTable table, String topicName, Function<TopicRow, List<Placed>> messages, Instant now, long token) {
        this.table = table;
        this.topicName = topicName;
        this.messages = messages;
        this.now = now;
        this.token = token;
    }

    /** Makes one try. */
    public CompletableFuture<List<Appended>> run(Transaction tx) {
        return table.get(tx, topicName).thenCompose(row -> {
            Log log = table.log(row);
            Tried before = tried;
            if (token == 0 || before == null) {
                return first(tx, row, log);
            }
            return log.findToken(tx, before.messages().get(0).partition(), token, before.readVersion())
                    .thenCompose(found -> found.isPresent()
                            ? CompletableFuture.completedFuture(results(before.messages(), found.get()))
                            : append(tx, log, before.messages(), isCompacted(row)));
        });
    }

    private CompletableFuture<List<Appended>> first(Transaction tx, TopicRow row, Log log) {
        List<Placed> placed = messages.apply(row);
        return tx.getReadVersion().thenCompose(version -> {
            if (token != 0 && !placed.isEmpty()) {
                tried = new Tried(version, placed);
            }
            return append(tx, log, placed, isCompacted(row));
        });
    }

    private static boolean isCompacted(TopicRow row) {
        return row.settings().compactAfter().isPresent();
    }

    private CompletableFuture<List<Appended>> append(
            Transaction tx, Log log, List<Placed> placed, boolean isCompacted) {
        if (placed.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        CompletableFuture<byte[]> stamp = tx.getVersionstamp();
        return log.writer().append(tx, placed, isCompacted, now).thenApply(numbers -> {
            List<Appended> results = new ArrayList<>();
            for (int i = 0; i < placed.size(); i++) {
                int number = numbers.get(i);
                results.add(new Appended(
                        placed.get(i).partition(),
                        number,
                        stamp.thenApply(bytes -> new Offset(Versionstamp.complete(bytes, number)))));
            }
            return List.copyOf(results);
        });
    }

    /** The first message has the number that was found, and the others follow it. */
    private static List<Appended> results(List<Placed> placed, Versionstamp first) {
        List<Appended> results = new ArrayList<>();
        for (int i = 0; i < placed.size(); i++) {
            int number = first.getUserVersion() + i;
            Offset offset = new Offset(Versionstamp.complete(first.getTransactionVersion(), number));
            results.add(new Appended(placed.get(i).partition(), number, CompletableFuture.completedFuture(offset)));
        }
        return List.copyOf(results);
    }
}
