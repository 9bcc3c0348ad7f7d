package dev.couchjobs.topics.internal.consumers;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.topics.internal.groups.Consumption;
import dev.couchjobs.topics.internal.groups.Consumption.Parked;
import dev.couchjobs.topics.internal.transactions.TopicTransactions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When the messages are due that the group has parked in a partition. Pauses are kept in memory, so that no two clocks
 * are compared: they begin again with each new holder.
 */
final class ParkedMessages {
    private final ConsumerSettings<?> settings;
    private final Consumption partition;
    private final Runnable wakeUp;

    @GuardedBy("this") private final Queue<Parked> due = new ArrayDeque<>();

    @GuardedBy("this") private final Map<Parked, Future<?>> waiting = new HashMap<>();

    @GuardedBy("this") private boolean isClosed;

    private volatile boolean isLoaded;

    /** @param wakeUp runs when a message is due */
    ParkedMessages(ConsumerSettings<?> settings, Consumption partition, Runnable wakeUp) {
        this.settings = settings;
        this.partition = partition;
        this.wakeUp = wakeUp;
    }

    /** Finds what former holders have parked, once. */
    CompletableFuture<Void> load() {
        if (isLoaded) {
            return CompletableFuture.completedFuture(null);
        }
        return TopicTransactions.read(settings.database(), "parked", partition::parked)
                .thenAccept(this::loaded);
    }

    private void loaded(List<Parked> parked) {
        parked.forEach(this::again);
        isLoaded = true;
    }

    /** A message is due after the pause that follows its failures. */
    void again(Parked message) {
        boolean isLeftOver = !isLoaded && settings.isExhausted(message.failures());
        later(message, isLeftOver ? Duration.ZERO : settings.pauseAfter(message.failures()));
    }

    /** {@return a message that is due} */
    synchronized @Nullable Parked next() {
        return due.poll();
    }

    synchronized boolean isDue() {
        return !due.isEmpty();
    }

    /** A message is due after a pause. */
    synchronized void later(Parked message, Duration pause) {
        if (!isClosed) {
            waiting.put(
                    message,
                    settings.environment()
                            .scheduler()
                            .schedule(() -> add(message), pause.toMillis(), TimeUnit.MILLISECONDS));
        }
    }

    private void add(Parked message) {
        synchronized (this) {
            waiting.remove(message);
            due.add(message);
        }
        wakeUp.run();
    }

    synchronized void close() {
        isClosed = true;
        waiting.values().forEach(timer -> timer.cancel(false));
        waiting.clear();
    }
}
