package dev.couchjobs.topics.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Worker;
import dev.couchjobs.topics.ConsumerBuilder;
import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.GroupInfo.PartitionLag;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.PartitionLostException;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicNotFoundException;
import dev.couchjobs.topics.TopicSettings;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Consumers of a group share the messages of a topic. */
class ConsumerContract extends TopicsContract {
    private static final RetryPolicy QUICK =
            RetryPolicy.standard().attempts(3).backoff(Duration.ofMillis(1), 1, Duration.ofMillis(1));

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    private ConsumerGroup<String> readers;
    private ConsumerGroup<Order> packers;

    @BeforeEach
    void openGroups() {
        seen.clear();
        readers = topics.group(NEWS, "readers");
        packers = topics.group(ORDERS, "packers");
    }

    private String next() throws InterruptedException {
        String value = seen.poll(30, TimeUnit.SECONDS);
        assertThat(value).as("a message within 30 s").isNotNull();
        return value;
    }

    private List<String> next(int count) throws InterruptedException {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(next());
        }
        return values;
    }

    private ConsumerBuilder<String> reader() {
        return readers.consumer().handle(messages -> messages.forEach(message -> seen.add(message.value())));
    }

    /** Waits until a consumer holds each partition, and as many of them as the counts say. */
    private void awaitHolders(ConsumerGroup<?> group, int... counts) {
        awaitUntil(() -> {
            List<PartitionLag> partitions = await(group.describe(database)).partitions();
            if (partitions.stream().anyMatch(partition -> partition.holder().isEmpty())) {
                return false;
            }
            return List.copyOf(partitions.stream()
                            .collect(java.util.stream.Collectors.groupingBy(
                                    partition -> partition.holder().orElseThrow(),
                                    java.util.stream.Collectors.summingInt(partition -> 1)))
                            .values())
                    .stream()
                    .sorted()
                    .toList()
                    .equals(IntStream.of(counts).boxed().toList());
        });
    }

    @Test
    void messagesAreHandledAsTheyCome() throws InterruptedException {
        append("a", "b");
        try (TopicConsumer consumer = reader().start()) {
            assertThat(next(2)).containsExactly("a", "b");
            append("c");
            assertThat(next()).isEqualTo("c");
            assertThat(consumer.name()).startsWith("consumer-");
            assertThat(await(readers.describe(database)).members())
                    .singleElement()
                    .satisfies(member -> assertThat(member.name()).isEqualTo(consumer.name()))
                    .satisfies(member -> assertThat(member.silence()).isBetween(Duration.ZERO, Duration.ofMinutes(1)));
        }
        assertThat(await(readers.describe(database)).members()).isEmpty();

        assertThat(await(readers.describe(database)).lag()).isZero();
        assertThat(await(readers.describe(database)).partitions().get(0).holder())
                .isEmpty();
    }

    @Test
    void aConsumerGoesOnWhereTheGroupIs() throws InterruptedException {
        append("a");
        try (TopicConsumer first = reader().start()) {
            assertThat(next()).isEqualTo("a");
            assertThat(first.name()).isNotEmpty();
        }
        append("b");
        try (TopicConsumer second = reader().start()) {
            assertThat(next()).isEqualTo("b");
            assertThat(second.name()).isNotEmpty();
        }
        assertThat(seen).isEmpty();
    }

    @Test
    void aNewGroupBeginsWhereItsConsumerSays() throws InterruptedException {
        append("a");
        try (TopicConsumer consumer = reader().startAt(Position.latest()).start()) {
            append("b");
            assertThat(next()).isEqualTo("b");
            assertThat(consumer.name()).isNotEmpty();
        }
    }

    @Test
    void whatATransactionalHandlerWritesIsWrittenOnce() throws InterruptedException {
        Subspace rows = prefix.get("rows");
        AtomicInteger tries = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(1);
        for (int i = 0; i < 50; i++) {
            append("m" + i);
        }
        try (TopicConsumer consumer = readers.consumer()
                .batch(7)
                .retry(QUICK.attempts(100))
                .inTransaction((tx, messages) -> {
                    for (Message<String> message : messages) {
                        byte[] row = rows.pack(message.value());
                        int before = await(tx.get(row)) == null ? 0 : 1;
                        tx.set(row, new byte[] {(byte) (before + 1)});
                    }
                    if (tries.incrementAndGet() % 3 == 0) {
                        throw new IllegalStateException("every third try fails");
                    }
                    if (messages.get(messages.size() - 1).value().equals("m49")) {
                        all.countDown();
                    }
                })
                .start()) {
            assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
            awaitUntil(() -> await(readers.describe(database)).lag() == 0);
            assertThat(consumer.name()).isNotEmpty();
        }

        List<KeyValue> written =
                database.read(tx -> tx.getRange(rows.range()).asList().join());
        assertThat(written).hasSize(50).allMatch(row -> row.getValue()[0] == 1);
    }

    @Test
    void anAsynchronousHandlerCommitsWhenItsStageHasCompleted() throws InterruptedException {
        byte[] row = prefix.get("rows").pack("sum");
        AtomicInteger tries = new AtomicInteger();
        append("1", "2", "3");
        try (TopicConsumer consumer = readers.consumer()
                .batch(1)
                .retry(QUICK.attempts(100))
                .inTransactionAsync((tx, messages) -> {
                    if (tries.incrementAndGet() == 1) {
                        return CompletableFuture.failedFuture(new IllegalStateException("not yet"));
                    }
                    return tx.get(row).thenAccept(before -> {
                        int sum = before == null ? 0 : before[0];
                        tx.set(row, new byte[] {
                            (byte) (10 * sum + Integer.parseInt(messages.get(0).value()))
                        });
                        seen.add(messages.get(0).value());
                    });
                })
                .start()) {
            awaitUntil(() -> await(readers.describe(database)).lag() == 0);
            assertThat(consumer.name()).isNotEmpty();
        }

        assertThat(next(3)).containsExactly("1", "2", "3");
        byte[] sum = await(database.readAsync(tx -> tx.get(row)));
        assertThat(sum).containsExactly(123);
    }

    @Test
    void consumersShareThePartitions() {
        try (TopicConsumer first = orders().start()) {
            awaitHolders(packers, 4);
            try (TopicConsumer second = orders().start()) {
                awaitHolders(packers, 2, 2);
                try (TopicConsumer third = orders().start()) {
                    awaitHolders(packers, 1, 1, 2);
                    assertThat(Set.of(first.name(), second.name(), third.name()))
                            .hasSize(3);
                }
                awaitHolders(packers, 2, 2);
            }
            awaitHolders(packers, 4);
        }
    }

    private ConsumerBuilder<Order> orders() {
        return packers.consumer()
                .handle(messages ->
                        messages.forEach(message -> seen.add(message.value().item())));
    }

    @Test
    void eachMessageIsHandledOnceWhileConsumersComeAndGo() throws InterruptedException {
        Subspace rows = prefix.get("rows");
        List<TopicConsumer> consumers = new ArrayList<>();
        for (int round = 0; round < 6; round++) {
            consumers.add(packers.consumer()
                    .batch(10)
                    .inTransaction((tx, messages) -> {
                        for (Message<Order> message : messages) {
                            byte[] row = rows.pack(message.value().item());
                            tx.set(row, new byte[] {(byte) (await(tx.get(row)) == null ? 1 : 2)});
                        }
                    })
                    .start());
            for (int i = 0; i < 40; i++) {
                await(topics.append(
                        database,
                        ORDERS,
                        NewMessage.of(new Order(round + "-" + i, i)).key("k" + i)));
            }
            if (round % 2 == 1) {
                consumers.remove(0).close();
            }
        }
        awaitUntil(() -> await(packers.describe(database)).lag() == 0);
        consumers.forEach(TopicConsumer::close);

        List<KeyValue> written =
                database.read(tx -> tx.getRange(rows.range()).asList().join());
        assertThat(written).hasSize(240).allMatch(row -> row.getValue()[0] == 1);
    }

    @Test
    void aConsumerThatLostItsPartitionDoesNotCommit() throws InterruptedException {
        append("a");
        CountDownLatch isRunning = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (TopicConsumer consumer = readers.consumer()
                .handle(messages -> {
                    if (isRunning.getCount() > 0) {
                        isRunning.countDown();
                        goOn.await();
                    }
                    messages.forEach(message -> seen.add(message.value()));
                })
                .start()) {
            assertThat(isRunning.await(30, TimeUnit.SECONDS)).isTrue();
            append("b");
            await(readers.seek(database, Position.latest()));
            append("c");
            goOn.countDown();

            assertThat(next(2)).containsExactly("a", "c");
            assertThat(consumer.name()).isNotEmpty();
        }
        assertThat(await(readers.describe(database)).lag()).isZero();
    }

    @Test
    void aConsumerGoesOnInATopicThatIsCreatedAgain() throws InterruptedException {
        append("a");
        try (TopicConsumer consumer = reader().lease(Duration.ofSeconds(1)).start()) {
            assertThat(next()).isEqualTo("a");
            await(topics.delete(database, NEWS));
            await(topics.create(database, NEWS, TopicSettings.partitions(1)));
            append("b");
            assertThat(next()).isEqualTo("b");
            awaitHolders(readers, 1);
            assertThat(consumer.name()).isNotEmpty();
        }
    }

    @Test
    void aGroupThatIsDeletedIsCreatedAgainByItsConsumers() throws InterruptedException {
        append("a");
        try (TopicConsumer consumer = reader().lease(Duration.ofSeconds(1)).start()) {
            assertThat(next()).isEqualTo("a");
            await(readers.delete(database));
            assertThat(next()).isEqualTo("a");
            awaitUntil(() -> await(topics.groups(database, NEWS)).contains("readers"));
            assertThat(consumer.name()).isNotEmpty();
        }
    }

    @Test
    void aConsumerThatHasStoppedLeavesAllPartitionsToPolls() {
        for (int time = 0; time < 50; time++) {
            await(orders().startAsync().thenCompose(TopicConsumer::stop));

            assertThat(await(packers.describe(database)).partitions())
                    .allMatch(partition -> partition.holder().isEmpty());
            for (int partition = 0; partition < 4; partition++) {
                assertThat(await(packers.poll(database, partition, 1))).isEmpty();
            }
        }
    }

    @Test
    void aConsumerThatMayWaitForHandlersForeverCloses() throws InterruptedException {
        append("a");
        try (TopicConsumer consumer =
                reader().closeTimeout(ChronoUnit.FOREVER.getDuration()).start()) {
            assertThat(next()).isEqualTo("a");
            assertThat(consumer.name()).isNotEmpty();
        }

        assertThat(await(readers.describe(database)).members()).isEmpty();
    }

    @Test
    void aPollLeavesPartitionsToConsumers() {
        try (TopicConsumer consumer = orders().start()) {
            awaitHolders(packers, 4);

            assertThatThrownBy(() -> await(packers.poll(database, 0, 1)))
                    .hasRootCauseInstanceOf(PartitionLostException.class)
                    .hasMessageContaining(consumer.name());
            assertThat(await(packers.poll(database, 1))).isEmpty();
        }
    }

    @Test
    void aMessageThatFailsIsHandledAgainBeforeThoseBehindIt() throws InterruptedException {
        AtomicInteger failures = new AtomicInteger();
        append("a", "b", "c");
        try (TopicConsumer consumer = readers.consumer()
                .retry(QUICK)
                .handle(messages -> {
                    for (Message<String> message : messages) {
                        if (message.value().equals("b") && failures.incrementAndGet() < 3) {
                            throw new IllegalStateException("not yet");
                        }
                    }
                    messages.forEach(message -> seen.add(message.value()));
                })
                .start()) {
            assertThat(next(3)).containsExactly("a", "b", "c");
            assertThat(consumer.name()).isNotEmpty();
        }
    }

    @Test
    void aMessageThatAlwaysFailsGoesToTheDeadLetters() throws InterruptedException {
        Topic<String> dead = Topic.of("dead", String.class);
        await(topics.create(database, dead, TopicSettings.partitions(1)));
        await(topics.appendAll(
                database,
                NEWS,
                List.of(NewMessage.of("a"), NewMessage.of("bad").key("k").header("trace", "7"), NewMessage.of("c"))));
        Message<String> bad = read(Position.earliest()).messages().get(1);
        AtomicInteger attempts = new AtomicInteger();
        try (TopicConsumer consumer = readers.consumer()
                .retry(QUICK)
                .deadLetters(dead)
                .inTransaction((tx, messages) -> {
                    for (Message<String> message : messages) {
                        if (message.value().equals("bad")) {
                            if (messages.size() == 1) {
                                attempts.incrementAndGet();
                            }
                            throw new IllegalStateException("always");
                        }
                        if (message.value().equals("c")) {
                            seen.add("c");
                        }
                    }
                })
                .start()) {
            assertThat(next()).isEqualTo("c");
            awaitUntil(() -> await(readers.describe(database)).lag() == 0);
            assertThat(consumer.name()).isNotEmpty();
        }

        List<Message<String>> letters =
                await(topics.read(database, dead, 0, Position.earliest(), 10)).messages();
        assertThat(letters).hasSize(1);
        assertThat(letters.get(0).value()).isEqualTo("bad");
        assertThat(letters.get(0).key()).contains("k");
        assertThat(letters.get(0).headers())
                .containsEntry("trace", "7")
                .containsEntry("dead-letter-topic", "news")
                .containsEntry("dead-letter-partition", "0")
                .containsEntry("dead-letter-offset", bad.offset().toString())
                .containsEntry("dead-letter-group", "readers")
                .containsEntry("dead-letter-failures", "3")
                .containsEntry("dead-letter-error", "java.lang.IllegalStateException: always");
        assertThat(attempts).hasValue(3);
    }

    @Test
    void oneHandlerRunsForAPartitionAtATime() throws InterruptedException {
        Set<Integer> running = ConcurrentHashMap.newKeySet();
        Set<String> overlaps = new HashSet<>();
        CompletableFuture<Void> done = new CompletableFuture<>();
        AtomicInteger handled = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            await(topics.append(database, ORDERS, NewMessage.of(new Order("i" + i, i))));
        }
        try (TopicConsumer consumer = packers.consumer()
                .batch(3)
                .handle(messages -> {
                    int partition = messages.get(0).partition();
                    if (!running.add(partition)) {
                        overlaps.add("partition " + partition);
                    }
                    running.remove(partition);
                    if (handled.addAndGet(messages.size()) == 100) {
                        done.complete(null);
                    }
                })
                .start()) {
            await(done);
            assertThat(consumer.name()).isNotEmpty();
        }
        assertThat(overlaps).isEmpty();
    }

    @Test
    void aStopWaitsForWhatIsHandled() {
        CompletableFuture<TopicConsumer> started = new CompletableFuture<>();
        CompletableFuture<CompletableFuture<Void>> stopped = new CompletableFuture<>();
        try (TopicConsumer consumer = readers.consumer()
                .executor(Runnable::run) // in the midst of the round
                .handle(messages -> stopped.complete(started.join().stop()))
                .start()) {
            started.complete(consumer);
            append("a");
            await(await(stopped));
        }

        assertThat(await(readers.describe(database)).lag()).isZero();
    }

    @Test
    void aTopicFeedsJobs() throws InterruptedException {
        JobType<String, Void> shout = JobType.of("shout", String.class);
        append("a", "b");
        try (CouchJobs jobs = CouchJobs.builder(database).subspace(prefix).build();
                TopicConsumer consumer = readers.consumer()
                        .addJobs(
                                jobs,
                                message -> List.of(
                                        NewJob.of(shout, message.value()).id("job-" + message.value())))
                        .start();
                Worker worker = jobs.worker()
                        .process(shout, job -> seen.add(job.data() + "!"))
                        .start()) {
            append("c");
            assertThat(next(3)).containsExactlyInAnyOrder("a!", "b!", "c!");
            assertThat(consumer.name()).isNotEmpty();
            assertThat(worker.name()).isNotEmpty();
        }
    }

    @Test
    void aConsumerHasThePartitionsThatItChooses() {
        try (TopicConsumer all = packers.consumer().handle(messages -> {}).start()) {
            awaitHolders(packers, 4);
            TopicConsumer chosen = await(
                    packers.consumer().partitions(1, 3).handle(messages -> {}).startAsync());
            awaitUntil(() -> holders(packers).equals(List.of(all.name(), chosen.name(), all.name(), chosen.name())));
            try (TopicConsumer standby =
                    packers.consumer().partitions(3).handle(messages -> {}).start()) {
                await(chosen.stop());
                awaitUntil(() -> holders(packers).equals(List.of(all.name(), all.name(), all.name(), standby.name())));
            }
            awaitHolders(packers, 4);
        }
        assertThatThrownBy(() ->
                        packers.consumer().partitions(4).handle(messages -> {}).start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("partitions 0 to 3");
    }

    private List<String> holders(ConsumerGroup<?> group) {
        return await(group.describe(database)).partitions().stream()
                .map(partition -> partition.holder().orElse("none"))
                .toList();
    }

    @Test
    void invalidConsumersAreRefused() {
        assertThatThrownBy(() -> readers.consumer().start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("needs a handler");
        assertThatThrownBy(() -> readers.consumer().batch(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> readers.consumer().batch(10_001))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to 10000");
        assertThatThrownBy(() -> readers.consumer().lease(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> readers.consumer().closeTimeout(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> topics.group(Topic.of("missing", String.class), "g")
                        .consumer()
                        .handle(messages -> {})
                        .start())
                .isInstanceOf(TopicNotFoundException.class);
    }
}
