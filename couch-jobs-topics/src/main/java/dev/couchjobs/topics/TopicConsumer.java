package dev.couchjobs.topics;

import dev.couchjobs.Environment;
import dev.couchjobs.loop.SafeLog;
import dev.couchjobs.topics.internal.consumers.ConsumerEngine;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A consumer of a group that is at work: it shares the partitions with the other consumers of the group, and hands
 * their messages to its handler. Safe for use by several threads.
 */
public final class TopicConsumer implements AutoCloseable {
    private static final SafeLog LOG = SafeLog.of(TopicConsumer.class);
    /** A caller may give a longer timeout, whose nanoseconds do not fit into a long. */
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private static final long THREAD_END_SECONDS = 10;

    private final String name;
    private final ConsumerEngine<?> engine;
    private final Duration closeTimeout;
    private final Optional<ExecutorService> ownThreads;
    private final Optional<Environment> ownEnvironment;

    TopicConsumer(
            String name,
            ConsumerEngine<?> engine,
            Duration closeTimeout,
            Optional<ExecutorService> ownThreads,
            Optional<Environment> ownEnvironment) {
        this.name = name;
        this.engine = engine;
        this.closeTimeout = closeTimeout;
        this.ownThreads = ownThreads;
        this.ownEnvironment = ownEnvironment;
    }

    /** {@return its name among the consumers of the group; unlike that of any other} */
    public String name() {
        return name;
    }

    /**
     * Begins no further messages, lets those that are being handled commit, and leaves the group.
     *
     * @return completes when the partitions are free
     */
    public CompletableFuture<Void> stop() {
        return engine.stop().whenComplete((stopped, error) -> release());
    }

    /** Ends the threads that the consumer started. */
    void release() {
        ownThreads.ifPresent(ExecutorService::shutdown);
        ownEnvironment.ifPresent(Environment::close);
    }

    /**
     * Stops, and waits for it: at most the time that {@link ConsumerBuilder#closeTimeout} says. After that the lease of
     * this consumer ends, and what it still handles does not commit. Otherwise the threads that it started have ended
     * when this returns.
     */
    @Override
    public void close() {
        try {
            awaitStop();
            awaitThreads();
        } catch (TimeoutException e) {
            LOG.warn("Consumer {} was closed while a handler was running; another consumes its messages", name);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitStop() throws TimeoutException, InterruptedException {
        try {
            stop().get((closeTimeout.compareTo(LONGEST) < 0 ? closeTimeout : LONGEST).toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            LOG.warn(
                    "Consumer {} has not left its group, which frees its partitions after the lease: {}",
                    name,
                    String.valueOf(e.getCause()));
        }
    }

    /** No handler runs. */
    private void awaitThreads() throws InterruptedException {
        if (ownThreads.isPresent()) {
            ownThreads.get().awaitTermination(THREAD_END_SECONDS, TimeUnit.SECONDS);
        }
    }
}
