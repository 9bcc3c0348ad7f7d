package dev.couchjobs.server.internal.feed;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.topics.MessagePage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicNotFoundException;
import dev.couchjobs.topics.Topics;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Messages of all partitions, in the order of their commits. No two messages of a topic have the same offset, and a
 * transaction sees all commits up to its version, so one offset says which messages of all partitions are read.
 */
record TopicMessages(Topics topics, Database database, Topic<byte[]> topic) implements Messages {
    /** More would hold more pages in memory, fewer would take longer. */
    private static final int PARTITIONS_AT_ONCE = 4;

    @Override
    public CompletableFuture<MessagePage<byte[]>> read(Position from, int limit) {
        return database.readAsync(tx -> topics.describe(tx, topic).thenCompose(found -> {
            int partitions = found.orElseThrow(() -> new TopicNotFoundException(topic.name()))
                    .partitions()
                    .size();
            // What is read of a partition and lies behind the others' pages is read again.
            int share = Math.max(1, limit / partitions);
            return read(tx, 0, partitions, from, share, new MergedPages(limit));
        }));
    }

    private CompletableFuture<MessagePage<byte[]>> read(
            ReadTransaction tx, int first, int partitions, Position from, int share, MergedPages merged) {
        if (first >= partitions) {
            return CompletableFuture.completedFuture(merged.page());
        }
        int end = Math.min(first + PARTITIONS_AT_ONCE, partitions);
        List<CompletableFuture<MessagePage<byte[]>>> pages = IntStream.range(first, end)
                .mapToObj(partition -> topics.read(tx, topic, partition, from, share))
                .toList();
        return CompletableFuture.allOf(pages.toArray(CompletableFuture<?>[]::new))
                .thenCompose(done -> {
                    pages.forEach(page -> merged.add(page.join()));
                    return read(tx, end, partitions, from, share, merged);
                });
    }

    @Override
    public CompletableFuture<Boolean> await(Position from, Duration timeout) {
        return topics.await(topic, from, timeout);
    }
}
