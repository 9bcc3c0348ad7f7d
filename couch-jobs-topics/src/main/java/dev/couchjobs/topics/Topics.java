package dev.couchjobs.topics;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobChange;
import dev.couchjobs.JobType;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.PayloadException;
import dev.couchjobs.ThreadTransaction;
import dev.couchjobs.loop.ArmedWatch;
import dev.couchjobs.loop.Durations;
import dev.couchjobs.loop.Observers;
import dev.couchjobs.loop.WatchLooks;
import dev.couchjobs.topics.internal.changes.Publisher;
import dev.couchjobs.topics.internal.groups.GroupTable;
import dev.couchjobs.topics.internal.groups.Sweeper;
import dev.couchjobs.topics.internal.log.Log;
import dev.couchjobs.topics.internal.log.LogWriter.Placed;
import dev.couchjobs.topics.internal.log.MessageRow;
import dev.couchjobs.topics.internal.log.StoredPage;
import dev.couchjobs.topics.internal.log.TailWait;
import dev.couchjobs.topics.internal.log.TopicKeys;
import dev.couchjobs.topics.internal.log.TopicRow;
import dev.couchjobs.topics.internal.log.TopicTable;
import dev.couchjobs.topics.internal.messages.AppendCall;
import dev.couchjobs.topics.internal.messages.PartitionChooser;
import dev.couchjobs.topics.internal.messages.SharedAppends;
import dev.couchjobs.topics.internal.messages.SharedAppends.Append;
import dev.couchjobs.topics.internal.messages.Values;
import dev.couchjobs.topics.internal.transactions.TopicTransactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Topics: durable logs of messages, split into partitions. A topic keeps its messages for its retention, whether they
 * are read or not, and any number of consumers read them, each at its own pace.
 *
 * <p>A verb with a {@link Database} runs in a transaction of its own, which is retried, and takes effect once. A verb
 * with a {@link Transaction} joins it: an append is visible when the transaction commits, together with all else that
 * the transaction writes. Within a partition messages are in the order of their commits.
 *
 * <p>Safe for use by several threads. RFC 035 describes what is stored.
 */
public final class Topics {
    final Database database;
    final Environment environment;
    private final boolean isInSystem;

    final TopicTable table;
    final Values values;
    final Observers<TopicsListener> listeners;
    private final PartitionChooser chooser;
    private final SharedAppends appends;
    private final WatchLooks looks;
    /** Of the calls: none comes again in any process, as far as chance allows. */
    private final AtomicLong tokens;

    Topics(TopicsBuilder settings) {
        database = settings.database;
        isInSystem = settings.environment == null;
        environment = settings.environment == null ? Environment.system() : settings.environment.guarded();
        table = new TopicTable(new TopicKeys(settings.subspace));
        values = new Values(settings.codec);
        listeners = new Observers<>(settings.listeners, environment);
        chooser = new PartitionChooser(environment.random().nextInt());
        appends = new SharedAppends(table, environment.scheduler());
        tokens = new AtomicLong(environment.random().nextLong());
        looks = new WatchLooks(environment, body -> TopicTransactions.read(database, "look", body));
    }

    /** {@return timers for something that is closed, and closes them; empty if the caller gave an environment} */
    Optional<Environment> ownEnvironment() {
        return isInSystem ? Optional.of(Environment.system()) : Optional.empty();
    }

    /**
     * Topics in a database, with default settings.
     *
     * @param database a cluster's, or an embedded one; the caller closes it
     * @return the topics
     */
    public static Topics on(Database database) {
        return builder(database).build();
    }

    /**
     * A builder for other settings.
     *
     * @param database a cluster's, or an embedded one; the caller closes it
     * @return the builder
     */
    public static TopicsBuilder builder(Database database) {
        return new TopicsBuilder(database);
    }

    /**
     * Creates a topic.
     *
     * @param context a database or a transaction
     * @param topic its name
     * @param settings how many partitions it has, and what it keeps
     * @return false if it was there with these settings; fails with {@link TopicExistsException} if it was there with
     *     others
     */
    public CompletableFuture<Boolean> create(TransactionContext context, Topic<?> topic, TopicSettings settings) {
        long id = environment.random().nextLong(1, Long.MAX_VALUE);
        Instant now = environment.clock().instant();
        return TopicTransactions.run(
                context, "create " + topic.name(), tx -> table.create(tx, topic.name(), settings, id, now));
    }

    /**
     * Changes the settings of a topic. Messages with a key go to another partition once there are more partitions.
     *
     * @param context a database or a transaction
     * @param topic its name
     * @param settings the new ones, with as many partitions or more
     * @return completes when it is done; fails with {@link TopicNotFoundException}, or with {@link
     *     IllegalArgumentException} if there would be fewer partitions
     */
    public CompletableFuture<Void> change(TransactionContext context, Topic<?> topic, TopicSettings settings) {
        return TopicTransactions.run(context, "change " + topic.name(), tx -> table.change(tx, topic.name(), settings));
    }

    /**
     * Deletes a topic, its messages and its groups.
     *
     * @param context a database or a transaction
     * @param topic its name
     * @return whether there was one
     */
    public CompletableFuture<Boolean> delete(TransactionContext context, Topic<?> topic) {
        return TopicTransactions.run(context, "delete " + topic.name(), tx -> table.delete(tx, topic.name()));
    }

    /**
     * Describes a topic. It reads a few rows of each partition, however many messages there are.
     *
     * @param context a database or a transaction
     * @param topic its name
     * @return what is known; empty if there is no such topic
     */
    public CompletableFuture<Optional<TopicInfo>> describe(ReadTransactionContext context, Topic<?> topic) {
        return TopicTransactions.read(
                context,
                "describe " + topic.name(),
                tx -> table.find(tx, topic.name())
                        .thenCompose(found -> found.isEmpty()
                                ? CompletableFuture.completedFuture(Optional.empty())
                                : table.log(found.get())
                                        .partitions(tx, found.get().settings().partitions())
                                        .thenApply(partitions -> Optional.of(new TopicInfo(
                                                topic.name(),
                                                found.get().settings(),
                                                found.get().createdAt(),
                                                partitions)))));
    }

    /**
     * Lists the topics by name.
     *
     * @param context a database or a transaction
     * @param page which page; the order is always that of the names
     * @return the names
     */
    public CompletableFuture<Page<String>> list(ReadTransactionContext context, PageRequest page) {
        return TopicTransactions.read(
                context,
                "list",
                tx -> table.list(tx, page.after(), page.limit()).thenApply(found -> {
                    List<String> names =
                            found.stream().map(TopicTable.Named::name).toList();
                    boolean isLast = names.size() < page.limit();
                    return new Page<>(names, isLast ? Optional.empty() : Optional.of(names.get(names.size() - 1)));
                }));
    }

    /**
     * Appends a message.
     *
     * @param context a database or a transaction
     * @param topic the topic
     * @param message the message
     * @param <T> the class of its value
     * @return where it was appended; fails as {@link #appendAll} does
     */
    public <T> CompletableFuture<Appended> append(TransactionContext context, Topic<T> topic, NewMessage<T> message) {
        return appendAll(context, topic, List.of(message)).thenApply(all -> all.get(0));
    }

    /**
     * Appends messages in one transaction. Within a partition they are in this order. Two appends never conflict with
     * each other. With a database, appends that come while others of the topic are on their way share a transaction.
     *
     * @param context a database or a transaction; the caller of a transaction waits for the result before it commits
     * @param topic the topic
     * @param messages the messages
     * @param <T> the class of their values
     * @return where they were appended, in order. Fails with {@link TopicNotFoundException}, {@link
     *     MessageTooLargeException}, {@link TooManyMessagesException}, {@link PayloadException} if a value cannot be
     *     written, or {@link IllegalArgumentException} if there is no such partition; then nothing is written. Fails
     *     with {@link AppendResultUnknownException} if the commit may have succeeded
     */
    public <T> CompletableFuture<List<Appended>> appendAll(
            TransactionContext context, Topic<T> topic, List<NewMessage<T>> messages) {
        ThreadTransaction.requireJoined(context);
        Instant now = environment.clock().instant();
        long token = context instanceof Transaction ? 0 : Math.max(1, tokens.incrementAndGet() & Long.MAX_VALUE);
        List<MessageRow> rows = new ArrayList<>();
        try {
            messages.forEach(message -> rows.add(values.encode(topic, message, token, now)));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        Function<TopicRow, List<Placed>> placed = row -> chooser.place(topic, messages, rows, row.settings());
        AppendCall call = new AppendCall(table, topic.name(), placed, now);
        CompletableFuture<List<Appended>> appended;
        if (token == 0 || rows.isEmpty()) {
            appended = TopicTransactions.run(context, "append " + topic.name(), call::join);
        } else if (context instanceof Database database) {
            appended = appends.append(database, topic.name(), new Append(rows, now, placed));
        } else {
            appended = call.commit(context);
        }
        return appended.thenApply(done -> reported(topic, done));
    }

    private List<Appended> reported(Topic<?> topic, List<Appended> appended) {
        if (!listeners.isEmpty() && !appended.isEmpty()) {
            listeners.report(
                    "appended",
                    listener -> listener.appended(new TopicsListener.MessagesAppended(topic.name(), appended.size())));
        }
        return appended;
    }

    /**
     * Reads messages of a partition.
     *
     * @param context a database or a transaction; in a transaction the read adds no conflict
     * @param topic the topic
     * @param partition from 0
     * @param from where to begin
     * @param limit how many messages at most, from 1 to 1,000; there are fewer if they are large
     * @param <T> the class of their values
     * @return the messages; fails with {@link TopicNotFoundException}, or with {@link IllegalArgumentException} if
     *     there is no such partition
     */
    public <T> CompletableFuture<MessagePage<T>> read(
            ReadTransactionContext context, Topic<T> topic, int partition, Position from, int limit) {
        PageRequest.of(limit);
        return TopicTransactions.read(
                context,
                "read " + topic.name(),
                tx -> table.get(tx, topic.name()).thenCompose(row -> {
                    PartitionChooser.check(topic.name(), partition, row.settings());
                    Log log = table.log(row);
                    return log.place(tx, partition, from)
                            .thenCompose(place -> log.reader()
                                    .read(tx, partition, place.stamp(), limit)
                                    .thenApply(page -> page(topic, partition, from, place.stamp(), page)));
                }));
    }

    /**
     * Reads the last message of a key, in a compacted topic. In a transaction an append of the key by another one is a
     * conflict: what the caller decides by it stays true until its commit.
     *
     * @param context a database or a transaction
     * @param topic the topic
     * @param key the key
     * @param <T> the class of the messages' values
     * @return the message; empty if there is none, or if it {@linkplain Message#isDeletion deletes} the key. Fails with
     *     {@link TopicNotFoundException}, with {@link UncommittedMessagesException} if the transaction has appended the
     *     key, or with {@link IllegalArgumentException} if the topic is not compacted
     */
    public <T> CompletableFuture<Optional<Message<T>>> latest(
            ReadTransactionContext context, Topic<T> topic, String key) {
        return TopicTransactions.read(
                context,
                "latest " + topic.name(),
                tx -> table.get(tx, topic.name()).thenCompose(row -> {
                    if (row.settings().compactAfter().isEmpty()) {
                        throw new IllegalArgumentException("Topic \"" + topic.name() + "\" is not compacted: only a"
                                + " topic that is finds the last message of a key.");
                    }
                    int partition = PartitionChooser.ofKey(key, row.settings().partitions());
                    return table.log(row)
                            .latest(tx, partition, key)
                            .thenApply(found -> found.map(stored -> values.message(topic, partition, stored))
                                    .filter(message -> !message.isDeletion()));
                }));
    }

    private <T> MessagePage<T> page(Topic<T> topic, int partition, Position from, Versionstamp after, StoredPage page) {
        List<Message<T>> messages = page.messages().stream()
                .map(stored -> values.message(topic, partition, stored))
                .toList();
        Offset last = messages.isEmpty()
                ? new Offset(after)
                : messages.get(messages.size() - 1).offset();
        // A place behind an offset is that offset, or where what is removed ends.
        boolean isTrimmed = from instanceof Position.After asked
                && asked.offset().versionstamp().compareTo(after) < 0;
        return new MessagePage<>(
                messages, last, page.isEnd(), isTrimmed ? Optional.of(new Offset(after)) : Optional.empty());
    }

    /**
     * Waits for a message of a partition. A watch wakes it, or a look at the watched key within two minutes if
     * FoundationDB loses the watch. Cancelling the future ends the wait.
     *
     * @param topic the topic
     * @param partition from 0
     * @param from where to begin
     * @param timeout how long to wait
     * @return true if there may be one; false when the time is up. Fails as {@link #read} does
     */
    public CompletableFuture<Boolean> await(Topic<?> topic, int partition, Position from, Duration timeout) {
        return await(topic, from, timeout, settings -> {
            PartitionChooser.check(topic.name(), partition, settings);
            return List.of(partition);
        });
    }

    /**
     * Waits for a message of any partition. A watch of each wakes it, or a look at the watched keys within two minutes
     * if FoundationDB loses a watch. Cancelling the future ends the wait.
     *
     * @param topic the topic
     * @param from where to begin
     * @param timeout how long to wait
     * @return true if there may be one; false when the time is up. Fails with {@link TopicNotFoundException}
     */
    public CompletableFuture<Boolean> await(Topic<?> topic, Position from, Duration timeout) {
        return await(
                topic,
                from,
                timeout,
                settings -> IntStream.range(0, settings.partitions()).boxed().toList());
    }

    TailWait tailWait() {
        return new TailWait(environment, looks);
    }

    private CompletableFuture<Boolean> await(
            Topic<?> topic, Position from, Duration timeout, Function<TopicSettings, List<Integer>> partitions) {
        Duration limit = Durations.limit("timeout", timeout);
        CompletableFuture<List<ArmedWatch>> watches = TopicTransactions.run(
                database,
                "await " + topic.name(),
                tx -> table.get(tx, topic.name()).thenCompose(row -> {
                    List<Integer> awaited = partitions.apply(row.settings());
                    Log log = table.log(row);
                    List<CompletableFuture<Boolean>> empty = awaited.stream()
                            .map(partition -> log.place(tx, partition, from)
                                    .thenCompose(place -> log.reader().read(tx, partition, place.stamp(), 1))
                                    .thenApply(page -> page.messages().isEmpty()))
                            .toList();
                    return CompletableFuture.allOf(empty.toArray(CompletableFuture<?>[]::new))
                            .thenCompose(read -> empty.stream().allMatch(CompletableFuture::join)
                                    ? TailWait.watch(tx, log, awaited)
                                    : CompletableFuture.completedFuture(List.of()));
                }));
        return tailWait().await(watches, limit);
    }

    /**
     * A group of consumers of a topic. This reads nothing.
     *
     * @param topic the topic
     * @param name 1 to 500 bytes in UTF-8, stable
     * @param <T> the class of the messages' values
     * @return the group
     * @throws IllegalArgumentException if the name is empty, too long, or has half of a surrogate pair in it
     */
    public <T> ConsumerGroup<T> group(Topic<T> topic, String name) {
        return new ConsumerGroup<>(this, topic, name);
    }

    /**
     * Lists the groups of a topic by name.
     *
     * @param context a database or a transaction
     * @param topic the topic
     * @return the names; fails with {@link TopicNotFoundException}
     */
    public CompletableFuture<List<String>> groups(ReadTransactionContext context, Topic<?> topic) {
        return TopicTransactions.read(
                context,
                "groups " + topic.name(),
                tx -> table.get(tx, topic.name()).thenCompose(row -> new GroupTable(table.log(row)).list(tx)));
    }

    /**
     * Removes the messages that the settings of a topic do not keep. Retention is to the minute, and clears one range
     * of a partition; compaction clears each message. Consumers do this about once a minute for what they hold.
     *
     * @param database the database
     * @param topic the topic
     * @return completes when it is done; fails with {@link TopicNotFoundException}
     */
    public CompletableFuture<Void> sweep(Database database, Topic<?> topic) {
        return new Sweeper(database, environment, table, topic.name())
                .sweep(settings ->
                        IntStream.range(0, settings.partitions()).boxed().toList());
    }

    /**
     * Appends the changes of a type's jobs to a topic, from the oldest that are kept: each once, in their order for a
     * job. Any number of processes may do so. A topic that is deleted and created again gets all of them. Changes that
     * {@code feedRetention} removes before they are appended are missing, and the log says so.
     *
     * @param jobs jobs of the same database
     * @param type the type
     * @param topic a topic that is there
     * @return a publisher that runs until it is stopped; fails with {@link TopicNotFoundException}
     */
    public CompletableFuture<ChangePublisher> publishChanges(
            CouchJobs jobs, JobType<?, ?> type, Topic<JobChanged> topic) {
        Optional<Environment> own = ownEnvironment();
        Publisher publisher = new Publisher(
                database,
                own.orElse(environment),
                table,
                topic.name(),
                jobs.changes(),
                type,
                (tx, page) -> appendAll(
                        tx, topic, page.changes().stream().map(Topics::message).toList()));
        return publisher.start().thenApply(started -> new ChangePublisher(publisher, own));
    }

    private static NewMessage<JobChanged> message(JobChange change) {
        return NewMessage.of(new JobChanged(change.typeName(), change.jobId(), change.state()))
                .key(change.jobId());
    }
}
