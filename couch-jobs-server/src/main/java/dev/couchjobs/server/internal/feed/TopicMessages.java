package dev.couchjobs.server.internal.feed;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.MessagePage;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicNotFoundException;
import dev.couchjobs.topics.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Messages of all partitions, in the order of their commits. No two messages of a topic have the same offset, and a
 * transaction sees all commits up to its version, so one offset says which messages of all partitions are read.
 */
record TopicMessages(Topics topics, Database database, Topic<byte[]> topic) implements Messages {
    private static final Comparator<Message<byte[]>> ORDER = Comparator.comparing(Message::offset);

    @Override
    public CompletableFuture<MessagePage<byte[]>> read(Position from, int limit) {
        return database.readAsync(tx -> topics.describe(tx, topic).thenCompose(found -> {
            int partitions = found.orElseThrow(() -> new TopicNotFoundException(topic.name()))
                    .partitions()
                    .size();
            // What is read of a partition and lies behind the others' pages is read again.
            int share = Math.max(1, limit / partitions);
            return all(IntStream.range(0, partitions)
                            .mapToObj(partition -> readPartition(tx, partition, from, share))
                            .toList())
                    .thenApply(pages -> merge(pages, limit));
        }));
    }

    private CompletableFuture<MessagePage<byte[]>> readPartition(
            ReadTransaction tx, int partition, Position from, int limit) {
        return topics.read(tx, topic, partition, from, limit);
    }

    private static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> parts) {
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> parts.stream().map(CompletableFuture::join).toList());
    }

    /** Behind the end of a page its partition may have messages that come before those of others. */
    private static MessagePage<byte[]> merge(List<MessagePage<byte[]>> pages, int limit) {
        Optional<Offset> end = pages.stream()
                .filter(page -> !page.isEnd())
                .map(MessagePage::next)
                .min(Comparator.naturalOrder());
        List<Message<byte[]>> read = new ArrayList<>();
        pages.forEach(page -> read.addAll(page.messages()));
        List<Message<byte[]>> merged = read.stream()
                .filter(message -> end.isEmpty() || message.offset().compareTo(end.get()) <= 0)
                .sorted(ORDER)
                .limit(limit)
                .toList();
        Offset next = merged.isEmpty()
                ? pages.stream()
                        .map(MessagePage::next)
                        .max(Comparator.naturalOrder())
                        .orElseThrow()
                : merged.get(merged.size() - 1).offset();
        return new MessagePage<>(merged, next, end.isEmpty() && merged.size() == read.size());
    }

    @Override
    public CompletableFuture<Boolean> await(Position from, Duration timeout) {
        return topics.await(topic, from, timeout);
    }
}
