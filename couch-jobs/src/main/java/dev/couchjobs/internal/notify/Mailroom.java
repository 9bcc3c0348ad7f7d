package dev.couchjobs.internal.notify;

import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings changes and those who wait for them together. One lock guards it all; nothing is called while it is held.
 */
public final class Mailroom implements AutoCloseable {
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final Consumer<FeedSubscription<?>> onUnsubscribe;

    private final List<Wait> waits = new ArrayList<>();
    private boolean closed;

    Mailroom(ScheduledExecutorService scheduler, Executor executor, Consumer<FeedSubscription<?>> onUnsubscribe) {
        this.scheduler = scheduler;
        this.executor = executor;
        this.onUnsubscribe = onUnsubscribe;
    }

    /** Somebody who waits for the next change of some subscriptions. */
    private record Wait(
            List<FeedSubscription<?>> of, @Nullable JobState state, CompletableFuture<Optional<Delivery>> result) {}

    private record Delivery(FeedSubscription<?> subscription, Change change) {}

    /** {@return the earliest change that is there or comes; empty when the time is up or none can come any more} */
    CompletableFuture<Optional<JobEvent<?>>> await(
            Collection<? extends Subscription<?>> subscriptions, @Nullable JobState state, Duration timeout) {
        Wait wait = new Wait(ours(subscriptions), state, new CompletableFuture<>());
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(new CouchJobsClosedException());
            }
            waits.add(wait);
        }
        settle();
        if (!wait.result.isDone()) {
            Future<?> timer =
                    scheduler.schedule(() -> answer(wait, Optional.empty()), timeout.toNanos(), TimeUnit.NANOSECONDS);
            var unused = wait.result.whenComplete((event, error) -> timer.cancel(false));
        }
        return wait.result.thenApplyAsync(
                delivery -> delivery.map(found -> found.subscription.event(found.change)), executor);
    }

    private List<FeedSubscription<?>> ours(Collection<? extends Subscription<?>> subscriptions) {
        List<FeedSubscription<?>> ours = new ArrayList<>();
        for (Subscription<?> subscription : subscriptions) {
            if (!(subscription instanceof FeedSubscription<?> known)) {
                throw new IllegalArgumentException(
                        "A subscription to wait for is one that subscribe returned; this is a "
                                + subscription.getClass().getName() + ".");
            }
            ours.add(known);
        }
        return ours;
    }

    /** Takes changes in, in the order of their commits. */
    void deliver(FeedSubscription<?> to, Change change) {
        synchronized (this) {
            to.offer(change);
        }
        settle();
    }

    void unsubscribe(FeedSubscription<?> subscription) {
        synchronized (this) {
            subscription.end();
        }
        onUnsubscribe.accept(subscription);
        settle();
    }

    /** Answers those who wait for what is there, first come first served, and those for whom nothing can come. */
    private void settle() {
        List<Runnable> answers = new ArrayList<>();
        synchronized (this) {
            for (Wait wait : List.copyOf(waits)) {
                Optional<Delivery> earliest = wait.of.stream()
                        .flatMap(subscription -> subscription.peek(wait.state).stream()
                                .map(change -> new Delivery(subscription, change)))
                        .min(Comparator.comparing(delivery -> delivery.change.sequence()));
                boolean hopeless = wait.of.stream().noneMatch(FeedSubscription::canBringMore);
                if (earliest.isPresent() || hopeless) {
                    waits.remove(wait);
                    earliest.ifPresent(delivery -> delivery.subscription.take(delivery.change));
                    answers.add(() -> wait.result.complete(earliest));
                }
            }
        }
        answers.forEach(Runnable::run);
    }

    private void answer(Wait wait, Optional<Delivery> delivery) {
        synchronized (this) {
            if (!waits.remove(wait)) {
                return;
            }
        }
        wait.result.complete(delivery);
    }

    @Override
    public void close() {
        List<Wait> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(waits);
            waits.clear();
        }
        left.forEach(wait -> wait.result.completeExceptionally(new CouchJobsClosedException()));
    }
}
