package dev.couchjobs.examples;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/**
 * Orders: one commit writes the row, publishes the event and adds the job. A consumer adds to the revenue of a customer
 * in the transaction that moves its offset, so each order counts once, also if the consumer dies.
 */
public final class OrderEvents {
    private static final Topic<Order> ORDERS = Topic.of("orders", Order.class);
    private static final JobType<String, Void> SHIP = JobType.of("ship", String.class);

    private record Order(String id, String customer, long cents) {}

    private final Database database;
    private final CouchJobs jobs;
    private final Topics topics;
    private final Subspace rows;

    private OrderEvents(Playground playground) {
        database = playground.database();
        jobs = playground.jobs();
        topics = Topics.builder(database).subspace(playground.data("topics")).build();
        rows = playground.data("orders");
    }

    /**
     * Runs the example.
     *
     * @param args none
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        try (Playground playground = new Playground()) {
            new OrderEvents(playground).run();
        }
    }

    private void run() throws InterruptedException {
        topics.create(database, ORDERS, TopicSettings.partitions(4)).join();
        place(new Order("A-17", "Ada", 12_000)).join();
        place(new Order("A-18", "Bob", 9_900)).join();
        place(new Order("A-19", "Ada", 500)).join();

        ConsumerGroup<Order> revenue = topics.group(ORDERS, "revenue");
        CountDownLatch outstanding = new CountDownLatch(3);
        try (TopicConsumer consumer = revenue.consumer()
                .inTransaction((tx, messages) -> {
                    for (Message<Order> message : messages) {
                        byte[] key =
                                rows.pack(Tuple.from("revenue", message.value().customer()));
                        tx.mutate(MutationType.ADD, key, number(message.value().cents()));
                        outstanding.countDown();
                    }
                })
                .start()) {
            outstanding.await();
            System.out.println(consumer.name().substring(0, 8) + " has read the orders");
        }
        for (String customer : new String[] {"Ada", "Bob"}) {
            System.out.println(customer + " has ordered for " + revenueOf(customer) + " cents");
        }
        System.out.println("Pending jobs: " + jobs.counts(database, SHIP).join().pending());
        System.out.println("Left to read: " + revenue.describe(database).join().lag());
    }

    private CompletableFuture<?> place(Order order) {
        return database.runAsync(tx -> {
            tx.set(
                    rows.pack(order.id()),
                    Tuple.from(order.customer(), order.cents()).pack());
            return topics.append(tx, ORDERS, NewMessage.of(order).key(order.customer()))
                    .thenCompose(appended -> jobs.add(tx, SHIP, order.id(), order.customer()));
        });
    }

    private long revenueOf(String customer) {
        byte[] value = database.readAsync(tx -> tx.get(rows.pack(Tuple.from("revenue", customer))))
                .join();
        return ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array();
    }
}
