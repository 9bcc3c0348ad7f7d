package dev.couchjobs.server.clients;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.server.HaltingPlan;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Appends messages to an embedded database and consumes them in transactions. It is killed at one of its commits.
 * Rows:
 *
 * <pre>
 * ("appended")        = how many messages
 * ("done")            = how many times a message was handled
 * ("effect", number)  = how many times that message was handled
 * ("last", key)       = the last message of that key
 * ("disorder")        = there if a message was handled before an earlier one of its key
 * </pre>
 */
public final class ConsumingProgram {
    static final int MESSAGES = 60;

    private static final int KEYS = 3;
    private static final Topic<Integer> ORDERS = Topic.of("orders", Integer.class);
    private static final byte[] APPENDED = Tuple.from("appended").pack();
    private static final byte[] DONE = Tuple.from("done").pack();
    static final byte[] DISORDER = Tuple.from("disorder").pack();

    private ConsumingProgram() {}

    /**
     * Runs it.
     *
     * @param args the directory, the number of the commit, and whether it takes effect
     */
    public static void main(String[] args) {
        HaltingPlan plan = HaltingPlan.ofProcess(Integer.parseInt(args[1]), Boolean.parseBoolean(args[2]));
        try (Database database = plan.open(Path.of(args[0]))) {
            run(database);
        }
    }

    /** Runs it within this process. */
    static void run(Database database) {
        Topics topics = Topics.on(database);
        var unused =
                topics.create(database, ORDERS, TopicSettings.partitions(2)).join();
        TopicConsumer consumer = topics.group(ORDERS, "packers")
                .consumer()
                .lease(Duration.ofSeconds(1))
                .batch(4)
                .inTransaction((tx, messages) -> messages.forEach(message -> handle(tx, message)))
                .start();
        try {
            boolean hasMore = true;
            while (hasMore) {
                hasMore = database.runAsync(tx -> appendNext(tx, topics)).join();
            }
            while (number(database.run(tx -> tx.get(DONE).join())) < MESSAGES) {
                database.run(tx -> number(tx.get(DONE).join()) < MESSAGES
                                ? tx.watch(DONE)
                                : CompletableFuture.<Void>completedFuture(null))
                        .join();
            }
        } finally {
            consumer.close();
        }
    }

    private static CompletableFuture<Boolean> appendNext(Transaction tx, Topics topics) {
        return tx.get(APPENDED).thenCompose(value -> {
            int next = number(value);
            if (next == MESSAGES) {
                return CompletableFuture.completedFuture(false);
            }
            tx.set(APPENDED, bytes(next + 1));
            return topics.appendAll(tx, ORDERS, List.of(NewMessage.of(next).key("key-" + next % KEYS)))
                    .thenApply(appended -> true);
        });
    }

    private static void handle(Transaction tx, Message<Integer> message) {
        byte[] last = Tuple.from("last", message.key().orElseThrow()).pack();
        byte @Nullable [] before = tx.get(last).join();
        if (before != null && number(before) >= message.value()) {
            tx.set(DISORDER, bytes(message.value()));
        }
        tx.set(last, bytes(message.value()));
        tx.mutate(MutationType.ADD, effect(message.value()), bytes(1));
        tx.mutate(MutationType.ADD, DONE, bytes(1));
    }

    static byte[] effect(int number) {
        return Tuple.from("effect", number).pack();
    }

    static int number(byte @Nullable [] value) {
        return value == null
                ? 0
                : ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).getInt();
    }

    private static byte[] bytes(int number) {
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(number)
                .array();
    }
}
