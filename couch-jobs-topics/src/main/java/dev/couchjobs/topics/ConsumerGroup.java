package dev.couchjobs.topics;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.PageRequest;
import dev.couchjobs.loop.Durations;
import dev.couchjobs.topics.internal.groups.GroupTable;
import dev.couchjobs.topics.internal.groups.Peeks;
import dev.couchjobs.topics.internal.groups.PollCall;
import dev.couchjobs.topics.internal.log.Log;
import dev.couchjobs.topics.internal.log.TailWait;
import dev.couchjobs.topics.internal.log.TopicKeys;
import dev.couchjobs.topics.internal.messages.PartitionChooser;
import dev.couchjobs.topics.internal.transactions.TopicTransactions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Consumers that share the messages of a topic: each message is for one of them. The group has a durable offset in each
 * partition, behind the messages that it has consumed. Groups do not know of each other.
 *
 * <p>A poll in the caller's transaction consumes its messages exactly once for all that the transaction writes: if it
 * does not commit, the group is where it was.
 *
 * <p>Safe for use by several threads.
 *
 * @param <T> the class of the messages' values
 */
public final class ConsumerGroup<T> {
    private final Topics topics;
    private final Topic<T> topic;
    private final String name;
    private final AtomicInteger turn;

    ConsumerGroup(Topics topics, Topic<T> topic, String name) {
        TopicKeys.checkName("A group", name);
        this.topics = topics;
        this.topic = topic;
        this.name = name;
        turn = new AtomicInteger(topics.environment.random().nextInt());
    }

    /** {@return its topic} */
    public Topic<T> topic() {
        return topic;
    }

    /** {@return its name} */
    public String name() {
        return name;
    }

    private <R> CompletableFuture<R> run(TransactionContext context, String purpose, GroupVerb<R> verb) {
        return TopicTransactions.run(
                context,
                purpose + " " + topic.name(),
                tx -> topics.table.get(tx, topic.name()).thenCompose(row -> {
                    Log log = topics.table.log(row);
                    return verb.apply(tx, new GroupTable(log), row.settings());
                }));
    }

    private <R> CompletableFuture<R> read(ReadTransactionContext context, String purpose, GroupRead<R> verb) {
        return TopicTransactions.read(
                context,
                purpose + " " + topic.name(),
                tx -> topics.table.get(tx, topic.name()).thenCompose(row -> {
                    Log log = topics.table.log(row);
                    return verb.apply(tx, new GroupTable(log), row.settings());
                }));
    }

    private interface GroupRead<R> {
        CompletableFuture<R> apply(ReadTransaction tx, GroupTable table, TopicSettings settings);
    }

    /** A verb with what it needs of the topic. */
    private interface GroupVerb<R> {
        CompletableFuture<R> apply(Transaction tx, GroupTable table, TopicSettings settings);
    }

    /**
     * Creates the group. A group that polls or commits without having been created begins at the
     * earliest message.
     *
     * @param context a database or a transaction
     * @param start where it begins
     * @return false if it was there, and is where it was; fails with {@link TopicNotFoundException}
     */
    public CompletableFuture<Boolean> create(TransactionContext context, Position start) {
        Instant now = topics.environment.clock().instant();
        return run(
                context,
                "create group",
                (tx, table, settings) -> table.create(tx, name, settings.partitions(), start, now));
    }

    /**
     * Deletes the group and its offsets.
     *
     * @param context a database or a transaction
     * @return whether there was one; fails with {@link TopicNotFoundException}
     */
    public CompletableFuture<Boolean> delete(TransactionContext context) {
        return run(context, "delete group", (tx, table, settings) -> table.delete(tx, name));
    }

    /**
     * Takes the next messages of one partition that has some: the partitions take turns. The group is behind them when
     * the transaction commits.
     *
     * <p>With a {@link Database} the messages are consumed when this completes; a process that dies then has lost them.
     * Partitions that a consumer holds are left to it.
     *
     * @param context a database or a transaction
     * @param limit how many messages at most, from 1 to 1,000
     * @return the messages, in order; none if all are consumed. Fails with {@link TopicNotFoundException}
     */
    public CompletableFuture<List<Message<T>>> poll(TransactionContext context, int limit) {
        return poll(context, OptionalInt.empty(), limit);
    }

    /**
     * Takes the next messages of a partition.
     *
     * @param context a database or a transaction
     * @param partition from 0
     * @param limit how many messages at most, from 1 to 1,000
     * @return the messages, in order; none if all are consumed. Fails with {@link TopicNotFoundException}, with {@link
     *     PartitionLostException} if a consumer holds the partition, or with {@link IllegalArgumentException} if there
     *     is no such partition
     */
    public CompletableFuture<List<Message<T>>> poll(TransactionContext context, int partition, int limit) {
        return poll(context, OptionalInt.of(partition), limit);
    }

    private CompletableFuture<List<Message<T>>> poll(TransactionContext context, OptionalInt partition, int limit) {
        PageRequest.of(limit);
        Instant now = topics.environment.clock().instant();
        long token =
                context instanceof Transaction ? 0 : topics.environment.random().nextLong(1, Long.MAX_VALUE);
        PollCall call = new PollCall(name, partition, turn.getAndIncrement(), limit, now, token);
        return run(context, "poll", (tx, table, settings) -> {
                    partition.ifPresent(chosen -> PartitionChooser.check(topic.name(), chosen, settings));
                    return call.run(tx, table, settings.partitions());
                })
                .thenApply(polled -> polled.messages().stream()
                        .map(stored -> topics.values.message(topic, polled.partition(), stored))
                        .toList());
    }

    /**
     * Reads the next messages of one partition that has some, and does not move the group. Two callers may get the same
     * messages; only one of them commits.
     *
     * @param context a database or a transaction
     * @param partition the only one to look at; empty for any that no consumer holds
     * @param limit how many messages at most, from 1 to 1,000
     * @return the messages; fails as {@link #poll(TransactionContext, int, int)} does
     */
    public CompletableFuture<GroupPage<T>> peek(ReadTransactionContext context, OptionalInt partition, int limit) {
        PageRequest.of(limit);
        int first = turn.getAndIncrement();
        long token = topics.environment.random().nextLong(1, Long.MAX_VALUE);
        return read(context, "peek", (tx, table, settings) -> {
                    partition.ifPresent(chosen -> PartitionChooser.check(topic.name(), chosen, settings));
                    Peeks peeks = new Peeks(table, name);
                    return peeks.candidates(tx, partition, settings.partitions(), first)
                            .thenCompose(found -> peeks.peek(tx, found, limit, token));
                })
                .thenApply(peeked -> new GroupPage<>(
                        peeked.partition(),
                        peeked.messages().stream()
                                .map(stored -> topics.values.message(topic, peeked.partition(), stored))
                                .toList(),
                        peeked.cursor()));
    }

    /**
     * Moves the group behind messages that {@link #peek} has read. To repeat it does no harm; after 16 commits and
     * polls by others it fails.
     *
     * @param context a database or a transaction
     * @param cursor of the page
     * @return completes when it is done; fails with {@link PartitionLostException} if the group has been moved since,
     *     or a consumer holds the partition; with {@link TopicNotFoundException}, or with {@link
     *     IllegalArgumentException} if this is no cursor
     */
    public CompletableFuture<Void> commit(TransactionContext context, String cursor) {
        Instant now = topics.environment.clock().instant();
        return run(
                context,
                "commit",
                (tx, table, settings) -> table.create(tx, name, settings.partitions(), Position.earliest(), now)
                        .thenCompose(created -> new Peeks(table, name).commit(tx, cursor)));
    }

    /**
     * Waits for messages that the group has still to consume. A watch wakes it, or a look at the watched keys within
     * two minutes if FoundationDB loses the watch. Cancelling the future ends the wait.
     *
     * @param timeout how long to wait
     * @return true if there may be some; false when the time is up. Fails with {@link TopicNotFoundException}
     */
    public CompletableFuture<Boolean> await(Duration timeout) {
        return topics.tailWait()
                .await(
                        run(
                                topics.database,
                                "await",
                                (tx, table, settings) -> new Peeks(table, name)
                                        .candidates(tx, OptionalInt.empty(), settings.partitions(), 0)
                                        .thenCompose(candidates -> candidates.isEmpty()
                                                ? TailWait.watch(
                                                        tx,
                                                        table.log(),
                                                        IntStream.range(0, settings.partitions())
                                                                .boxed()
                                                                .toList())
                                                : CompletableFuture.completedFuture(List.of()))),
                        Durations.limit("timeout", timeout));
    }

    /**
     * A consumer that is handed messages as they come.
     *
     * @return a builder
     */
    public ConsumerBuilder<T> consumer() {
        return new ConsumerBuilder<>(topics, this);
    }

    /**
     * Moves the group in all partitions. Consumers go on from there; what they are working on does not commit.
     *
     * @param context a database or a transaction
     * @param position where it goes on
     * @return completes when it is done; fails with {@link TopicNotFoundException} or {@link GroupNotFoundException}
     */
    public CompletableFuture<Void> seek(TransactionContext context, Position position) {
        return seek(
                context,
                position,
                settings -> IntStream.range(0, settings.partitions()).boxed().toList());
    }

    /**
     * Moves the group in one partition.
     *
     * @param context a database or a transaction
     * @param partition from 0
     * @param position where it goes on
     * @return completes when it is done; fails as {@link #seek(TransactionContext, Position)} does, or with {@link
     *     IllegalArgumentException} if there is no such partition
     */
    public CompletableFuture<Void> seek(TransactionContext context, int partition, Position position) {
        return seek(context, position, settings -> {
            PartitionChooser.check(topic.name(), partition, settings);
            return List.of(partition);
        });
    }

    private CompletableFuture<Void> seek(
            TransactionContext context, Position position, Function<TopicSettings, List<Integer>> partitions) {
        return run(
                context, "seek", (tx, table, settings) -> table.seek(tx, name, partitions.apply(settings), position));
    }

    /**
     * Describes the group. It reads a few rows of each partition, however many messages there are.
     *
     * @param context a database or a transaction
     * @return where it is; fails with {@link TopicNotFoundException} or {@link GroupNotFoundException}
     */
    public CompletableFuture<GroupInfo> describe(ReadTransactionContext context) {
        return read(
                context,
                "describe group",
                (tx, table, settings) -> table.exists(tx, name)
                        .thenCompose(isThere -> isThere
                                ? table.lags(tx, name, settings.partitions())
                                        .thenCombine(
                                                table.members(tx, name),
                                                (lags, members) -> new GroupInfo(topic.name(), name, lags, members))
                                : CompletableFuture.failedFuture(new GroupNotFoundException(name))));
    }
}
