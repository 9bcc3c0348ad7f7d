package dev.couchjobs.internal.notify;

import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.loop.TimerDelays;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Brings changes and waits for them together. One lock, the dispatcher's own, guards the subscriptions and the waits
 * for them; no result is completed while it is held.
 */
final class EventDispatcher implements AutoCloseable {
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final Consumer<FeedSubscription<?>> onUnsubscribe;
    private final Function<JobRef, CompletableFuture<Optional<byte[]>>> data;

    private final Set<AwaitCall> calls = new LinkedHashSet<>(); // guarded by this
    private boolean closed; // guarded by this

    /**
     * @param executor completes what callers wait for, so that their next steps may block
     * @param onUnsubscribe told of subscriptions that are no longer wanted
     * @param data reads the data of a job
     */
    EventDispatcher(
            ScheduledExecutorService scheduler,
            Executor executor,
            Consumer<FeedSubscription<?>> onUnsubscribe,
            Function<JobRef, CompletableFuture<Optional<byte[]>>> data) {
        this.data = data;
        this.scheduler = scheduler;
        this.executor = executor;
        this.onUnsubscribe = onUnsubscribe;
    }

    /** The earliest change that is there or comes, with data; empty when the time is up or none can come any more. */
    CompletableFuture<Optional<JobEvent<?>>> await(
            List<FeedSubscription<?>> subscriptions, @Nullable JobState state, Duration timeout) {
        CompletableFuture<Optional<AwaitCall.Delivery>> taken = awaitChange(subscriptions, state, timeout);
        CompletableFuture<Optional<JobEvent<?>>> event = taken.thenComposeAsync(
                delivery -> delivery.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : event(delivery.get().subscription(), delivery.get().change())
                                .thenApply(Optional::of),
                executor);
        var unused = event.whenComplete((given, error) -> taken.cancel(false)); // a caller who cancels no longer waits
        return event;
    }

    /** Reads the data now, so that changes that wait to be taken hold none. */
    private <D> CompletableFuture<JobEvent<?>> event(FeedSubscription<D> subscription, PendingChange change) {
        if (subscription.isFound(change)) {
            return CompletableFuture.completedFuture(subscription.foundEvent());
        }
        if (change.state() == JobState.NOT_FOUND) {
            return CompletableFuture.completedFuture(subscription.event(change, Optional.empty()));
        }
        return data.apply(subscription.ref())
                .handle((json, error) ->
                        error == null ? subscription.event(change, json) : subscription.event(change, error));
    }

    /** The earliest change that is there or comes; empty when the time is up or none can come any more. */
    CompletableFuture<Optional<AwaitCall.Delivery>> awaitChange(
            List<FeedSubscription<?>> subscriptions, @Nullable JobState state, Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("A timeout cannot be negative: " + timeout);
        }
        AwaitCall call = new AwaitCall(List.copyOf(subscriptions), state, new CompletableFuture<>());
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(new CouchJobsClosedException());
            }
            calls.add(call);
            call.of().forEach(subscription -> subscription.calls().add(call));
        }
        settle(List.of(call));
        if (!call.result().isDone()) {
            Future<?> timer = scheduler.schedule(() -> timeUp(call), TimerDelays.nanos(timeout), TimeUnit.NANOSECONDS);
            var unused = call.result().whenComplete((answer, error) -> {
                timer.cancel(false);
                timeUp(call); // a caller who cancels no longer waits
            });
        }
        return call.result();
    }

    /** Takes a change in, and tells whether the subscription goes on after it. */
    boolean deliver(FeedSubscription<?> to, PendingChange change) {
        List<AwaitCall> waiting;
        boolean goesOn;
        synchronized (this) {
            to.offer(change);
            waiting = List.copyOf(to.calls());
            goesOn = to.canBringMore();
        }
        settle(waiting);
        return goesOn;
    }

    void unsubscribe(FeedSubscription<?> subscription) {
        List<AwaitCall> waiting;
        synchronized (this) {
            subscription.end();
            waiting = List.copyOf(subscription.calls());
        }
        onUnsubscribe.accept(subscription);
        settle(waiting);
    }

    /** Answers the waits for which a change is there, first come first served, and those for which none can come. */
    private void settle(List<AwaitCall> candidates) {
        List<Runnable> answers = new ArrayList<>();
        synchronized (this) {
            for (AwaitCall call : candidates) {
                Optional<AwaitCall.Delivery> earliest = call.earliest();
                if ((earliest.isPresent() || call.isExhausted()) && cancel(call)) {
                    earliest.ifPresent(delivery -> delivery.subscription().take(delivery.change()));
                    answers.add(() -> call.result().complete(earliest));
                }
            }
        }
        answers.forEach(Runnable::run);
    }

    private void timeUp(AwaitCall call) {
        boolean waited;
        synchronized (this) {
            waited = cancel(call);
        }
        if (waited) {
            call.result().complete(Optional.empty());
        }
    }

    /** False if it has been answered already. */
    private boolean cancel(AwaitCall call) {
        call.of().forEach(subscription -> subscription.calls().remove(call));
        return calls.remove(call);
    }

    @Override
    public void close() {
        List<AwaitCall> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(calls);
            left.forEach(this::cancel);
        }
        left.forEach(
                call -> executor.execute(() -> call.result().completeExceptionally(new CouchJobsClosedException())));
    }
}
