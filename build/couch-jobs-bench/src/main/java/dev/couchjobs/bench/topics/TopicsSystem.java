package dev.couchjobs.bench.topics;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Topics in a database, under a prefix of its own, which closing it clears. */
final class TopicsSystem implements LogSystem {
    private final Database database;
    private final String settings;
    private final AutoCloseable behind;
    private final Subspace subspace = new Subspace(Tuple.from("bench", UUID.randomUUID()));
    private final Topics topics;
    private final AtomicInteger created = new AtomicInteger();

    /** Closing it closes the database, and then {@code behind} it. */
    TopicsSystem(Database database, String settings, AutoCloseable behind) {
        this.database = database;
        this.behind = behind;
        this.settings = settings;
        topics = Topics.builder(database).subspace(subspace).build();
    }

    @Override
    public String settings() {
        return settings;
    }

    @Override
    public MessageLog create(int partitions) {
        Topic<byte[]> topic = Topic.of("bench-" + created.incrementAndGet(), byte[].class);
        topics.create(database, topic, TopicSettings.partitions(partitions)).join();
        return new TopicLog(topic, partitions);
    }

    @Override
    public void close() throws IOException {
        database.run(tx -> {
            tx.clear(subspace.range());
            return tx;
        });
        Closing.closeAll(database, behind);
    }

    private final class TopicLog implements MessageLog {
        private final Topic<byte[]> topic;
        private final int partitions;
        private final AtomicInteger turn = new AtomicInteger();
        private final AtomicInteger groups = new AtomicInteger();

        TopicLog(Topic<byte[]> topic, int partitions) {
            this.topic = topic;
            this.partitions = partitions;
        }

        @Override
        public CompletableFuture<?> append(List<byte[]> messages) {
            return topics.appendAll(database, topic, inTurn(messages));
        }

        @Override
        public void appendAndWait(List<byte[]> messages) {
            List<NewMessage<byte[]>> placed = inTurn(messages);
            database.run(tx -> topics.appendAll(tx, topic, placed).join());
        }

        private List<NewMessage<byte[]>> inTurn(List<byte[]> messages) {
            int partition = Math.floorMod(turn.getAndIncrement(), partitions);
            return messages.stream()
                    .map(message -> NewMessage.of(message).partition(partition))
                    .toList();
        }

        @Override
        public AutoCloseable consume(int consumers, int batch, Consumer<byte[]> handler) {
            ConsumerGroup<byte[]> group = topics.group(topic, "group-" + groups.incrementAndGet());
            List<TopicConsumer> started = new ArrayList<>();
            for (int i = 0; i < consumers; i++) {
                started.add(group.consumer()
                        .batch(batch)
                        .handle(messages -> messages.forEach(message -> handler.accept(message.value())))
                        .start());
            }
            return () -> started.forEach(TopicConsumer::close);
        }

        @Override
        public void close() {
            var unused = topics.delete(database, topic).join();
        }
    }
}
