package dev.couchjobs.server.internal.feed;

import com.apple.foundationdb.Database;
import dev.couchjobs.topics.MessagePage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.Topics;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Messages of one partition. */
record PartitionMessages(Topics topics, Database database, Topic<byte[]> topic, int partition) implements Messages {
    @Override
    public CompletableFuture<MessagePage<byte[]>> read(Position from, int limit) {
        return topics.read(database, topic, partition, from, limit);
    }

    @Override
    public CompletableFuture<Boolean> await(Position from, Duration timeout) {
        return topics.await(topic, partition, from, timeout);
    }
}
