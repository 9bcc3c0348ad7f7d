package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.internal.log.Log;
import dev.couchjobs.topics.internal.log.RetentionRule;
import dev.couchjobs.topics.internal.log.TopicRow;
import dev.couchjobs.topics.internal.log.TopicTable;
import dev.couchjobs.topics.internal.transactions.TopicTransactions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Removes the messages that a topic does not keep, partition by partition, each in a transaction of its own. */
public record Sweeper(Database database, Environment environment, TopicTable table, String topicName) {
    private static final int AT_ONCE = 16;

    /**
     * Sweeps partitions.
     *
     * @param choose the partitions of a topic with these settings
     */
    public CompletableFuture<Void> sweep(Function<TopicSettings, List<Integer>> choose) {
        return TopicTransactions.read(database, purpose(), tx -> table.get(tx, topicName))
                .thenCompose(row -> new RetentionRule(row.settings()).keepsAll()
                        ? CompletableFuture.completedFuture(null)
                        : sweep(row, choose.apply(row.settings())));
    }

    private CompletableFuture<Void> sweep(TopicRow row, List<Integer> partitions) {
        return CompletableFuture.allOf(IntStream.range(0, Math.min(AT_ONCE, partitions.size()))
                .mapToObj(first -> sweep(row, partitions, first))
                .toArray(CompletableFuture<?>[]::new));
    }

    /** Sweeps a partition until nothing more goes, and then each that comes so many later. */
    private CompletableFuture<Void> sweep(TopicRow row, List<Integer> partitions, int index) {
        if (index >= partitions.size()) {
            return CompletableFuture.completedFuture(null);
        }
        return TopicTransactions.run(database, purpose(), tx -> sweep(tx, row, partitions.get(index)))
                .thenCompose(hasMore -> sweep(row, partitions, hasMore ? index : index + AT_ONCE));
    }

    private CompletableFuture<Boolean> sweep(Transaction tx, TopicRow row, int partition) {
        Log log = table.log(row);
        return new GroupTable(log)
                .consumedByAll(tx, row.settings().consumedBy(), partition)
                .thenCompose(consumed -> log.sweep(
                        tx,
                        partition,
                        new RetentionRule(row.settings()),
                        consumed,
                        environment.clock().instant()));
    }

    private String purpose() {
        return "sweep " + topicName;
    }
}
