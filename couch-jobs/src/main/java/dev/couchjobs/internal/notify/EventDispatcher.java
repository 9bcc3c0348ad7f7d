package dev.couchjobs.internal.notify;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.internal.views.PayloadCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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
 * Brings changes and waits for them together.
 *
 * <p>It knows which waits are for which subscriptions: a wait knows its subscriptions, and a subscription neither its
 * waits nor the dispatcher. They share one lock; no result is completed while it is held.
 */
final class EventDispatcher implements FeedSubscription.Owner, AutoCloseable {
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final Consumer<FeedSubscription<?>> onUnsubscribe;
    private final Function<JobRef, CompletableFuture<Optional<byte[]>>> data;

    private final Object lock = new Object();

    @GuardedBy("lock") private final Set<AwaitCall> calls = new LinkedHashSet<>();

    /** The waits for changes of a subscription, first come first, of each that has any. */
    @GuardedBy("lock") private final Map<FeedSubscription<?>, Set<AwaitCall>> waits = new HashMap<>();

    @GuardedBy("lock") private boolean closed;

    /**
     * @param executor completes what callers wait for, so that their next steps may block
     * @param onUnsubscribe receives subscriptions that are no longer wanted
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

    /**
     * Makes a subscription that has received nothing after what was found.
     *
     * @param foundJson the job's data as it was found
     * @param isEndOnly whether it takes in no other change than the last
     */
    <D> FeedSubscription<D> subscription(
            JobType<D, ?> type,
            JobRef ref,
            PayloadCodec codec,
            PendingChange found,
            Optional<byte[]> foundJson,
            boolean isEndOnly) {
        return new FeedSubscription<>(type, ref, codec, found, foundJson, isEndOnly, lock, this);
    }

    /** The earliest change that is there or comes, with data; empty when the time is up or none can come any more. */
    @Override
    public CompletableFuture<Optional<JobEvent<?>>> await(
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

    /**
     * The earliest change that is there or comes; empty when the time is up or none can come any more.
     *
     * @param timeout how long to wait; null for a wait that sets no timer
     */
    CompletableFuture<Optional<AwaitCall.Delivery>> awaitChange(
            List<FeedSubscription<?>> subscriptions, @Nullable JobState state, @Nullable Duration timeout) {
        AwaitCall call = new AwaitCall(List.copyOf(subscriptions), state, new CompletableFuture<>());
        synchronized (lock) {
            if (closed) {
                return CompletableFuture.failedFuture(new CouchJobsClosedException());
            }
            calls.add(call);
            for (FeedSubscription<?> subscription : call.of()) {
                waits.computeIfAbsent(subscription, unused -> new LinkedHashSet<>())
                        .add(call);
            }
        }
        settle(List.of(call));
        if (!call.result().isDone()) {
            // A caller who cancels no longer waits.
            var unused = call.result().whenComplete((answer, error) -> timeUp(call));
            if (timeout != null) {
                startTimer(call, timeout);
            }
        }
        return call.result();
    }

    private void startTimer(AwaitCall call, Duration timeout) {
        Future<?> timer = scheduler.schedule(() -> timeUp(call), TimerDelays.nanos(timeout), TimeUnit.NANOSECONDS);
        var unused = call.result().whenComplete((answer, error) -> timer.cancel(false));
    }

    /** Delivers a change, and returns whether more changes can follow it. */
    boolean deliver(FeedSubscription<?> to, PendingChange change) {
        List<AwaitCall> waiting;
        boolean canBringMore;
        synchronized (lock) {
            to.offer(change);
            waiting = waitsFor(to);
            canBringMore = to.canBringMore();
        }
        settle(waiting);
        return canBringMore;
    }

    @GuardedBy("lock") private List<AwaitCall> waitsFor(FeedSubscription<?> subscription) {
        return List.copyOf(waits.getOrDefault(subscription, Set.of()));
    }

    @Override
    public void unsubscribe(FeedSubscription<?> subscription) {
        List<AwaitCall> waiting;
        synchronized (lock) {
            subscription.end();
            waiting = waitsFor(subscription);
        }
        onUnsubscribe.accept(subscription);
        settle(waiting);
    }

    /** Answers the waits for which a change is there, first come first served, and those for which none can come. */
    private void settle(List<AwaitCall> candidates) {
        List<Runnable> answers = new ArrayList<>();
        synchronized (lock) {
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
        synchronized (lock) {
            waited = cancel(call);
        }
        if (waited) {
            call.result().complete(Optional.empty());
        }
    }

    /** False if it has been answered already. */
    @GuardedBy("lock") private boolean cancel(AwaitCall call) {
        for (FeedSubscription<?> subscription : call.of()) {
            waits.computeIfPresent(subscription, (unused, others) -> {
                others.remove(call);
                return others.isEmpty() ? null : others;
            });
        }
        return calls.remove(call);
    }

    @Override
    public void close() {
        List<AwaitCall> left;
        synchronized (lock) {
            closed = true;
            left = List.copyOf(calls);
            for (AwaitCall call : left) {
                var unused = cancel(call);
            }
        }
        left.forEach(
                call -> executor.execute(() -> call.result().completeExceptionally(new CouchJobsClosedException())));
    }
}
