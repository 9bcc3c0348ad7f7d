package dev.couchjobs.topics;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.NewJob;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.loop.Durations;
import dev.couchjobs.topics.internal.consumers.ConsumerEngine;
import dev.couchjobs.topics.internal.consumers.ConsumerSettings;
import dev.couchjobs.topics.internal.consumers.DeadLetters;
import dev.couchjobs.topics.internal.consumers.Handler;
import dev.couchjobs.topics.internal.log.TopicKeys;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Builds a consumer of a group.
 *
 * @param <T> the class of the messages' values
 */
public final class ConsumerBuilder<T> {
    /** How many messages a handler gets at once, at most. */
    public static final int BATCH_MAX = 10_000;

    private static final Duration LEASE_LEAST = Duration.ofSeconds(1);

    private final Topics topics;
    private final ConsumerGroup<T> group;
    private String name = "consumer";
    private Position start = Position.earliest();
    private int batch = 100;
    private Duration lease = Duration.ofSeconds(10);
    private Duration closeTimeout = Duration.ofSeconds(30);
    private RetryPolicy retry = RetryPolicy.standard();
    private boolean isOrdered = true;
    private Set<Integer> chosen = Set.of();
    private @Nullable Topic<?> deadLetters;
    private @Nullable Executor executor;
    private @Nullable Function<Executor, Handler<T>> handler;

    ConsumerBuilder(Topics topics, ConsumerGroup<T> group) {
        this.topics = topics;
        this.group = group;
    }

    /**
     * Handles messages in the transaction that moves the group behind them: what the handler writes in it commits
     * exactly once.
     *
     * @param newHandler the handler
     * @return this builder
     */
    public ConsumerBuilder<T> inTransaction(TransactionalHandler<T> newHandler) {
        Objects.requireNonNull(newHandler, "handler");
        handler = threads -> Handler.inTransaction(newHandler, threads);
        return this;
    }

    /**
     * Handles messages as {@link #inTransaction} does, by a handler that does not block.
     *
     * @param newHandler the handler
     * @return this builder
     */
    public ConsumerBuilder<T> inTransactionAsync(AsyncTransactionalHandler<T> newHandler) {
        Objects.requireNonNull(newHandler, "handler");
        handler = threads -> Handler.inTransactionAsync(newHandler, threads);
        return this;
    }

    /**
     * Handles messages, and moves the group behind them afterwards: each message is handled at least once. For work
     * outside of the database, or that takes longer than a transaction.
     *
     * @param newHandler the handler
     * @return this builder
     */
    public ConsumerBuilder<T> handle(MessageHandler<T> newHandler) {
        Objects.requireNonNull(newHandler, "handler");
        handler = threads -> Handler.beforeCommit(newHandler, threads);
        return this;
    }

    /**
     * Adds jobs for messages, in the transaction that moves the group behind them: each message adds its jobs exactly
     * once.
     *
     * @param jobs jobs of the same database
     * @param make the jobs of a message
     * @return this builder
     */
    public ConsumerBuilder<T> addJobs(CouchJobs jobs, Function<Message<T>, List<NewJob<?>>> make) {
        Objects.requireNonNull(jobs, "jobs");
        Objects.requireNonNull(make, "make");
        return inTransaction((tx, messages) -> {
            List<NewJob<?>> added = messages.stream()
                    .flatMap(message -> jobsOf(message, make).stream())
                    .toList();
            var unused = jobs.addAll(tx, added).join();
        });
    }

    private static <T> List<NewJob<?>> jobsOf(Message<T> message, Function<Message<T>, List<NewJob<?>>> make) {
        List<NewJob<?>> jobs = make.apply(message);
        return Objects.requireNonNull(
                jobs, "The function of addJobs has returned null; a message without jobs has List.of().");
    }

    /**
     * The beginning of its name among the consumers of the group; something random follows.
     *
     * @param newName 1 to 500 bytes in UTF-8
     * @return this builder
     */
    public ConsumerBuilder<T> name(String newName) {
        TopicKeys.checkName("A consumer", newName);
        name = newName;
        return this;
    }

    /**
     * Where the group begins if this consumer creates it; by default at the earliest message.
     *
     * @param newStart a position
     * @return this builder
     */
    public ConsumerBuilder<T> startAt(Position newStart) {
        start = Objects.requireNonNull(newStart, "start");
        return this;
    }

    /**
     * How many messages the handler gets at once, at most; by default 100. It gets fewer if they are larger than two
     * megabytes together. With more of them a consumer that catches up makes fewer commits, and after a crash it sees
     * more of them again.
     *
     * @param messages from 1 to {@value #BATCH_MAX}
     * @return this builder
     * @throws IllegalArgumentException if it is less or more
     */
    public ConsumerBuilder<T> batch(int messages) {
        if (messages < 1 || messages > BATCH_MAX) {
            throw new IllegalArgumentException(
                    "A handler gets 1 to " + BATCH_MAX + " messages at once, and not " + messages + ".");
        }
        batch = messages;
        return this;
    }

    /**
     * After how long without a heartbeat this consumer counts as dead, so that others take its partitions; by default
     * 10 seconds. They take them within another third of the time. All consumers of a group need the same.
     *
     * @param newLease a second to a hundred years
     * @return this builder
     * @throws IllegalArgumentException if it is shorter or longer
     */
    public ConsumerBuilder<T> lease(Duration newLease) {
        lease = Durations.between("lease", newLease, LEASE_LEAST, Durations.LONGEST);
        return this;
    }

    /**
     * How often a message is handled that fails, and with what pauses; by default as {@link RetryPolicy#standard} says.
     * Meanwhile the messages behind it wait, so their order is kept. A message that kills its process does so at most
     * two times more often.
     *
     * @param newRetry the policy
     * @return this builder
     */
    public ConsumerBuilder<T> retry(RetryPolicy newRetry) {
        retry = Objects.requireNonNull(newRetry, "retry");
        return this;
    }

    /**
     * Parks a message that fails: the group goes on behind it, and handles it again as {@link #retry} says, out of its
     * order. A group parks at most 1,000 messages of a partition; further ones keep their order. A message is parked
     * for as long as the topic keeps it, and until a seek.
     *
     * @return this builder
     */
    public ConsumerBuilder<T> retryOutOfOrder() {
        isOrdered = false;
        return this;
    }

    /**
     * The only partitions that this consumer consumes; by default those that no consumer has chosen are shared. Several
     * consumers may choose the same: one of them has it, and another takes over.
     *
     * @param partitions from 0
     * @return this builder
     */
    public ConsumerBuilder<T> partitions(int... partitions) {
        chosen = IntStream.of(partitions).boxed().collect(Collectors.toUnmodifiableSet());
        return this;
    }

    /**
     * A topic for messages that have failed as often as they may; the group goes on behind them. Without one, the group
     * tries a message again and again, with the longest pause of the policy. The headers of a dead letter say where it
     * comes from and what has failed.
     *
     * @param topic a topic that is there, and is not compacted
     * @return this builder
     */
    public ConsumerBuilder<T> deadLetters(Topic<?> topic) {
        deadLetters = Objects.requireNonNull(topic, "topic");
        return this;
    }

    /**
     * Runs the handler; by default threads of its own do, virtual ones where the running Java has them.
     *
     * @param newExecutor runs as many handlers at once as the topic has partitions
     * @return this builder
     */
    public ConsumerBuilder<T> executor(Executor newExecutor) {
        executor = Objects.requireNonNull(newExecutor, "executor");
        return this;
    }

    /**
     * How long {@link TopicConsumer#close} waits for handlers; by default 30 seconds.
     *
     * @param timeout zero or more
     * @return this builder
     * @throws IllegalArgumentException if it is negative
     */
    public ConsumerBuilder<T> closeTimeout(Duration timeout) {
        closeTimeout = Durations.limit("closeTimeout", timeout);
        return this;
    }

    /**
     * Starts the consumer, and waits until it has joined.
     *
     * @return the consumer
     * @throws IllegalStateException if it has no handler
     * @throws TopicNotFoundException if there is no such topic
     * @throws IllegalArgumentException if the topic does not have a partition that this consumer wants
     */
    public TopicConsumer start() {
        try {
            return startAsync().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /**
     * Starts the consumer.
     *
     * @return the consumer, when it has joined; fails as {@link #start} does
     */
    public CompletableFuture<TopicConsumer> startAsync() {
        if (handler == null) {
            throw new IllegalStateException(
                    "A consumer needs a handler: call inTransaction, inTransactionAsync or handle.");
        }
        String member = name + "-"
                + HexFormat.of().toHexDigits(topics.environment.random().nextLong());
        Optional<Environment> ownEnvironment = topics.ownEnvironment();
        Optional<ExecutorService> ownThreads =
                executor == null ? Optional.of(Environment.handlerThreads()) : Optional.empty();
        ConsumerEngine<T> engine = new ConsumerEngine<>(new ConsumerSettings<>(
                topics.database,
                ownEnvironment.orElse(topics.environment),
                topics.table,
                topics.values,
                topics.listeners,
                group.topic(),
                group.name(),
                member,
                start,
                handler.apply(executor == null ? ownThreads.orElseThrow() : executor),
                batch,
                lease,
                retry,
                isOrdered,
                chosen,
                Optional.ofNullable(deadLetters).map(topic -> new DeadLetters(topics.table, topic.name()))));
        TopicConsumer consumer = new TopicConsumer(member, engine, closeTimeout, ownThreads, ownEnvironment);
        return engine.start().thenApply(joined -> consumer).whenComplete((joined, error) -> {
            if (error != null) {
                consumer.release();
            }
        });
    }
}
