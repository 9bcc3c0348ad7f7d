package dev.couchjobs.topics.simulation;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Environment;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.topics.Appended;
import dev.couchjobs.topics.ConsumerBuilder;
import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/** Producers, consumers and operators of the topic, each in a process of its own, and what they know of it. */
final class Actors {
    static final Topic<String> TOPIC = Topic.of("simulated", String.class);
    static final int PARTITIONS = 5;
    /** A poll takes at most so many messages. */
    static final int POLL_MAX = 5;

    static final Duration LEASE = Duration.ofSeconds(3);
    /** Its consumers handle in the transaction that moves the group; nothing moves it otherwise. */
    static final String EXACT = "exact";
    /** The same, but operators move it, too. */
    static final String SOUGHT = "sought";
    /** Its consumers handle before the group moves. */
    static final String OUTSIDE = "outside";
    /** Some of its consumers set aside what fails, and all give it up after the second time. */
    static final String PARKING = "parking";
    /** Behind the other one in the order of names. */
    static final Topic<String> GIVEN_UP = Topic.of("simulated, given up", String.class);
    /** It has no consumers. */
    static final String POLLED = "polled";
    /** Commits effects where no consumer may hold the partition. */
    static final String NO_MEMBER = "none";

    /** What a deletion has instead of a value. */
    private static final String HEADER = "value";

    private static final byte[] ONE = {1};
    private static final byte[] ONE_OF_FOUR = {1, 0, 0, 0};
    private static final RetryPolicy RETRY =
            RetryPolicy.standard().attempts(1_000).backoff(Duration.ofMillis(100), 2, Duration.ofMillis(400));

    final Map<String, Appended> acknowledged = new HashMap<>();
    final Set<String> attempted = new HashSet<>();
    /** What polls with a database have returned. */
    final List<String> polled = new ArrayList<>();
    /** What handlers that run before the commit were handed. */
    final Set<String> handled = new HashSet<>();
    /** Polls with a database that have not returned their messages. */
    int lostPolls;

    private final Simulation simulation;
    private final TopicLaws laws;
    private final boolean isCompacted;
    private final Map<String, TopicConsumer> consumers = new HashMap<>();
    private int started;
    private boolean isCalm;
    private boolean watchesHandovers;
    private boolean isOver;

    Actors(Simulation simulation, TopicLaws laws) {
        this(simulation, laws, false);
    }

    /** @param isCompacted whether the topic is: all messages have keys, and some delete them */
    Actors(Simulation simulation, TopicLaws laws, boolean isCompacted) {
        this.simulation = simulation;
        this.laws = laws;
        this.isCompacted = isCompacted;
    }

    /** {@return the value of a message; of a deletion what its header says} */
    static String text(Message<String> message) {
        String header = message.headers().get(HEADER);
        return header == null ? message.value() : header;
    }

    static Topics topics(SimulatedProcess process) {
        return Topics.builder(process.database())
                .environment(new Environment(process.clock(), process.scheduler(), process.random()))
                .build();
    }

    /** Starts a process like one that has died. */
    void replace(SimulatedProcess dead) {
        String[] role = dead.name().split(" ", -1);
        switch (role[0]) {
            case "producer" -> produce();
            case "operator" -> operate();
            default -> consume(role[0]);
        }
    }

    /** From now on no handler fails, no consumer leaves, and no operator does anything. */
    void calmDown() {
        isCalm = true;
    }

    /** From now on a handler begins only while its consumer holds the partition. */
    void watchHandovers() {
        watchesHandovers = true;
    }

    /** No producer appends any more. */
    void end() {
        isOver = true;
    }

    private static void later(SimulatedProcess process, int millisMax, Runnable task) {
        var unused = process.scheduler().schedule(task, process.random().nextInt(millisMax), TimeUnit.MILLISECONDS);
    }

    /** Appends one batch after the other, for as long as the process lives. */
    void produce() {
        SimulatedProcess process = simulation.process("producer");
        Topics topics = topics(process);
        later(process, 1_000, () -> produce(process, topics, "p" + ++started, 0));
    }

    private void produce(SimulatedProcess process, Topics topics, String name, int number) {
        if (isOver) {
            return;
        }
        RandomGenerator random = process.random();
        if (random.nextInt(6) == 0) {
            appendAtOnce(process, topics, () -> produce(process, topics, name, number));
            return;
        }
        int count = random.nextInt(8) == 0 ? 12 : 1 + random.nextInt(3);
        List<NewMessage<String>> messages = IntStream.range(number, number + count)
                .mapToObj(each -> message(name + "-" + each, random))
                .toList();
        List<String> values = IntStream.range(number, number + count)
                .mapToObj(each -> name + "-" + each)
                .toList();
        attempted.addAll(values);
        var unused = append(process.database(), topics, name + "-" + number, messages, random)
                .thenAccept(all -> {
                    for (int i = 0; i < all.size(); i++) {
                        acknowledged.put(values.get(i), all.get(i));
                    }
                })
                .whenComplete((done, error) -> {
                    process.log("producer: " + error);
                    // What has failed may still commit, behind what comes next.
                    String next = error == null ? name : "p" + ++started;
                    later(process, 1_500, () -> produce(process, topics, next, number + count));
                });
    }

    /** Appends that do not wait for each other have no order. */
    private void appendAtOnce(SimulatedProcess process, Topics topics, Runnable next) {
        List<CompletableFuture<?>> appends = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            String value = "p" + ++started + "-0";
            attempted.add(value);
            appends.add(topics.append(process.database(), TOPIC, message(value, process.random()))
                    .thenAccept(appended -> acknowledged.put(value, appended)));
        }
        var unused = CompletableFuture.allOf(appends.toArray(CompletableFuture<?>[]::new))
                .whenComplete((done, error) -> {
                    process.log("appends at once: " + error);
                    later(process, 1_500, next);
                });
    }

    private NewMessage<String> message(String value, RandomGenerator random) {
        NewMessage<String> message = NewMessage.of(value);
        if (isCompacted) {
            String key = "k" + random.nextInt(20);
            return random.nextInt(5) == 0 ? NewMessage.<String>deletion(key).header(HEADER, value) : message.key(key);
        }
        return switch (random.nextInt(3)) {
            case 0 -> message.key("k" + random.nextInt(20));
            case 1 -> message.partition(random.nextInt(PARTITIONS));
            default -> message;
        };
    }

    private static CompletableFuture<List<Appended>> append(
            Database database, Topics topics, String call, List<NewMessage<String>> messages, RandomGenerator random) {
        if (random.nextBoolean()) {
            return topics.appendAll(database, TOPIC, messages);
        }
        byte[] sent = Tuple.from("sent", call).pack();
        int half = messages.size() / 2;
        return database.runAsync(tx -> tx.get(sent).thenCompose(row -> {
            if (row != null) { // an earlier try has committed
                return CompletableFuture.completedFuture(List.of());
            }
            tx.set(sent, ONE);
            return topics.appendAll(tx, TOPIC, messages.subList(0, half))
                    .thenCompose(first -> topics.appendAll(tx, TOPIC, messages.subList(half, messages.size()))
                            .thenApply(second -> {
                                List<Appended> all = new ArrayList<>(first);
                                all.addAll(second);
                                return all;
                            }));
        }));
    }

    /** Starts a consumer of a group, which leaves some time, and then another takes its place in the process. */
    void consume(String group) {
        SimulatedProcess process = simulation.process(group + " consumer");
        Topics topics = topics(process);
        later(process, 1_000, () -> consume(process, topics, group));
    }

    private void consume(SimulatedProcess process, Topics topics, String group) {
        String name = "c" + ++started;
        ConsumerBuilder<String> builder = topics.group(TOPIC, group)
                .consumer()
                .name(name)
                .lease(LEASE)
                .retry(RETRY)
                .batch(3 + process.random().nextInt(6))
                .executor(task -> later(process, group.equals(OUTSIDE) ? 300 : 50, task));
        var unused = handler(builder, process, group, name).startAsync().whenComplete((consumer, error) -> {
            if (consumer == null) {
                later(process, 1_000, () -> consume(process, topics, group));
            } else {
                consumers.put(consumer.name(), consumer);
                later(process, 30_000, () -> leave(process, topics, group, consumer));
            }
        });
    }

    private void leave(SimulatedProcess process, Topics topics, String group, TopicConsumer consumer) {
        if (isCalm) {
            return;
        }
        var unused = stop(consumer).whenComplete((done, error) -> consume(process, topics, group));
    }

    private CompletableFuture<Void> stop(TopicConsumer consumer) {
        consumers.remove(consumer.name());
        return consumer.stop().thenRun(() -> laws.stopped(consumer.name()));
    }

    /** Stops one consumer of a group that holds a partition. */
    CompletableFuture<Void> stopOne(String group) {
        String holder = laws.claims().entrySet().stream()
                .filter(claim -> claim.getKey().getString(0).equals(group))
                .map(claim -> String.valueOf(claim.getValue().holder()))
                .sorted()
                .findFirst()
                .orElseThrow();
        TopicConsumer consumer = consumers.get(holder);
        laws.require(consumer != null, () -> holder + " holds a partition, and is no consumer that lives");
        return stop(Objects.requireNonNull(consumer));
    }

    private ConsumerBuilder<String> handler(
            ConsumerBuilder<String> builder, SimulatedProcess process, String group, String name) {
        if (group.equals(OUTSIDE)) {
            return builder.handle(messages -> {
                fail(process);
                if (watchesHandovers) {
                    int partition = messages.get(0).partition();
                    TopicRows.Held held = Objects.requireNonNull(laws.claims().get(Tuple.from(group, partition)));
                    String holder = String.valueOf(held.holder());
                    laws.require(
                            holder.startsWith(name + "-"),
                            () -> name + " handles messages of " + partition + ", which " + holder + " holds");
                }
                messages.forEach(message -> handled.add(text(message)));
            });
        }
        if (group.equals(PARKING)) {
            return (process.random().nextBoolean() ? builder.retryOutOfOrder() : builder)
                    .retry(RETRY.attempts(2))
                    .deadLetters(GIVEN_UP)
                    .inTransaction((tx, messages) -> {
                        fail(process);
                        count(tx, group, messages);
                    });
        }
        if (process.random().nextBoolean()) {
            return builder.inTransaction((tx, messages) -> {
                fail(process);
                effect(tx, group, name, messages);
            });
        }
        return builder.inTransactionAsync((tx, messages) -> {
            fail(process);
            CompletableFuture<Boolean> rested = new CompletableFuture<>();
            later(process, 100, () -> rested.complete(true));
            return rested.thenAccept(done -> effect(tx, group, name, messages));
        });
    }

    private void fail(SimulatedProcess process) {
        if (!isCalm && process.random().nextInt(15) == 0) {
            throw new IllegalStateException("bad luck");
        }
    }

    private static void count(Transaction tx, String group, List<Message<String>> messages) {
        for (Message<String> message : messages) {
            tx.mutate(MutationType.ADD, TopicRows.EFFECTS.pack(Tuple.from(group, text(message))), ONE);
        }
    }

    private static void effect(Transaction tx, String group, String name, List<Message<String>> messages) {
        count(tx, group, messages);
        Message<String> last = messages.get(messages.size() - 1);
        tx.set(
                TopicRows.COMMITTERS.pack(Tuple.from(group, last.partition())),
                Tuple.from(name, text(last)).pack());
    }

    /** Makes one change after the other to the groups, for as long as the process lives. */
    void operate() {
        SimulatedProcess process = simulation.process("operator");
        operate(process, topics(process));
    }

    private void operate(SimulatedProcess process, Topics topics) {
        if (isCalm) {
            return;
        }
        var unused = change(process, topics).whenComplete((done, error) -> {
            process.log("operator: " + error);
            later(process, 1_000, () -> operate(process, topics));
        });
    }

    private CompletableFuture<?> change(SimulatedProcess process, Topics topics) {
        Database database = process.database();
        RandomGenerator random = process.random();
        return switch (random.nextInt(10)) {
            case 0 -> seek(database, topics, random, Position.earliest());
            case 1 -> seek(database, topics, random, Position.latest());
            case 2 -> seekToMessage(database, topics, random);
            case 3 -> topics.sweep(database, TOPIC);
            case 4, 5 -> poll(database, topics, random);
            case 6 -> pollInTransaction(database, topics.group(TOPIC, EXACT), random);
            case 7 -> pollAndAppend(database, topics, random);
            default -> pollInTransaction(database, topics.group(TOPIC, POLLED), random);
        };
    }

    private static CompletableFuture<Void> seek(
            Database database, Topics topics, RandomGenerator random, Position position) {
        int partition = random.nextInt(PARTITIONS + 1);
        ConsumerGroup<String> group = topics.group(TOPIC, SOUGHT);
        return database.runAsync(tx -> {
            tx.mutate(MutationType.ADD, TopicRows.SEEKS.pack(SOUGHT), ONE_OF_FOUR);
            return partition == PARTITIONS ? group.seek(tx, position) : group.seek(tx, partition, position);
        });
    }

    private static CompletableFuture<Void> seekToMessage(Database database, Topics topics, RandomGenerator random) {
        return topics.read(database, TOPIC, random.nextInt(PARTITIONS), Position.earliest(), 200)
                .thenCompose(page -> {
                    if (page.messages().isEmpty()) {
                        return CompletableFuture.completedFuture(null);
                    }
                    Message<String> message =
                            page.messages().get(random.nextInt(page.messages().size()));
                    return seek(
                            database,
                            topics,
                            random,
                            random.nextBoolean()
                                    ? Position.after(message.offset())
                                    : Position.at(message.appendedAt()));
                });
    }

    private CompletableFuture<?> poll(Database database, Topics topics, RandomGenerator random) {
        lostPolls++;
        return topics.group(TOPIC, POLLED)
                .poll(database, 1 + random.nextInt(POLL_MAX))
                .thenAccept(messages -> {
                    lostPolls--;
                    messages.forEach(message -> polled.add(text(message)));
                });
    }

    private static CompletableFuture<?> pollInTransaction(
            Database database, ConsumerGroup<String> group, RandomGenerator random) {
        int limit = 1 + random.nextInt(POLL_MAX);
        return database.runAsync(tx -> poll(tx, group, limit));
    }

    private static CompletableFuture<?> poll(Transaction tx, ConsumerGroup<String> group, int limit) {
        return group.poll(tx, limit).thenApply(messages -> {
            if (!messages.isEmpty()) {
                effect(tx, group.name(), NO_MEMBER, messages);
            }
            return messages;
        });
    }

    /** Both at once in one transaction: it may fail, as it may read where it has appended. */
    private CompletableFuture<?> pollAndAppend(Database database, Topics topics, RandomGenerator random) {
        String value = "o" + ++started + "-0";
        attempted.add(value);
        byte[] sent = Tuple.from("sent", value).pack();
        int limit = 1 + random.nextInt(POLL_MAX);
        boolean pollsFirst = random.nextBoolean();
        NewMessage<String> message =
                isCompacted ? NewMessage.of(value).key("k" + random.nextInt(20)) : NewMessage.of(value);
        return database.runAsync(tx -> tx.get(sent).thenCompose(row -> {
            if (row != null) { // an earlier try has committed
                return CompletableFuture.completedFuture(row);
            }
            tx.set(sent, ONE);
            CompletableFuture<?> first =
                    pollsFirst ? poll(tx, topics.group(TOPIC, POLLED), limit) : topics.append(tx, TOPIC, message);
            CompletableFuture<?> second =
                    pollsFirst ? topics.append(tx, TOPIC, message) : poll(tx, topics.group(TOPIC, POLLED), limit);
            return first.thenCombine(second, (one, other) -> one);
        }));
    }

    /** {@return what the parking group has given up} */
    static List<String> givenUp(Simulation simulation) {
        return simulation
                .await(topics(simulation.process("reader"))
                        .read(simulation.database(), GIVEN_UP, 0, Position.earliest(), 1_000))
                .messages()
                .stream()
                .map(Actors::text)
                .toList();
    }
}
