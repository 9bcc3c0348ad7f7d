package dev.couchjobs.internal.notify;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.internal.rows.JobRef;
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
 * Matches changes with the callers that wait for them.
 *
 * <p>The dispatcher holds the calls by subscription. A call refers to its subscriptions, but a subscription refers to
 * no call. All share one lock; no result is completed while it is held.
 */
final class EventDispatcher implements FeedSubscription.Owner, AutoCloseable {
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final Consumer<FeedSubscription<?>> onUnsubscribe;
    private final Function<JobRef, CompletableFuture<Optional<byte[]>>> readData;

    private final Object lock = new Object();

    @GuardedBy("lock") private final Set<AwaitCall> calls = new LinkedHashSet<>();

    /** The calls that wait for changes of a subscription, in the order in which they began to wait. */
    @GuardedBy("lock") private final Map<FeedSubscription<?>, Set<AwaitCall>> callsBySubscription = new HashMap<>();

    @GuardedBy("lock") private boolean closed;

    /**
     * @param executor completes the futures of callers, so that their dependents may block
     * @param onUnsubscribe receives subscriptions that have been closed
     * @param readData reads the data of a job
     */
    EventDispatcher(
            ScheduledExecutorService scheduler,
            Executor executor,
            Consumer<FeedSubscription<?>> onUnsubscribe,
            Function<JobRef, CompletableFuture<Optional<byte[]>>> readData) {
        this.readData = readData;
        this.scheduler = scheduler;
        this.executor = executor;
        this.onUnsubscribe = onUnsubscribe;
    }

    /**
     * Creates a subscription, which has received no change after its initial state.
     *
     * @param initialJson the job's data in its initial state
     * @param isEndOnly whether it receives no change but the job's end
     */
    <D> FeedSubscription<D> subscription(
            JobType<D, ?> type,
            JobRef ref,
            PayloadCodec codec,
            PendingChange initial,
            Optional<byte[]> initialJson,
            boolean isEndOnly) {
        return new FeedSubscription<>(type, ref, codec, initial, initialJson, isEndOnly, lock, this);
    }

    /** The earliest change, with the job's data; empty after the timeout or when no change can follow. */
    @Override
    public CompletableFuture<Optional<JobEvent<?>>> await(
            List<FeedSubscription<?>> subscriptions, @Nullable JobState state, Duration timeout) {
        CompletableFuture<Optional<AwaitCall.Delivery>> awaited = awaitChange(subscriptions, state, timeout);
        CompletableFuture<Optional<JobEvent<?>>> event = awaited.thenComposeAsync(
                delivery -> delivery.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : event(delivery.get().subscription(), delivery.get().change())
                                .thenApply(Optional::of),
                executor);
        var unused = event.whenComplete((value, error) -> awaited.cancel(false)); // passes a cancellation on
        return event;
    }

    /** Reads the job's data when a caller receives the event, so that undelivered changes hold no data. */
    private <D> CompletableFuture<JobEvent<?>> event(FeedSubscription<D> subscription, PendingChange change) {
        if (subscription.isInitial(change)) {
            return CompletableFuture.completedFuture(subscription.initialEvent());
        }
        if (change.state() == JobState.NOT_FOUND) {
            return CompletableFuture.completedFuture(subscription.event(change, Optional.empty()));
        }
        return readData.apply(subscription.ref())
                .handle((json, error) ->
                        error == null ? subscription.event(change, json) : subscription.event(change, error));
    }

    /**
     * The earliest change; empty after the timeout or when no change can follow.
     *
     * @param timeout how long to wait; null for a call without a timer
     */
    CompletableFuture<Optional<AwaitCall.Delivery>> awaitChange(
            List<FeedSubscription<?>> subscriptions, @Nullable JobState state, @Nullable Duration timeout) {
        AwaitCall call = new AwaitCall(List.copyOf(subscriptions), state, new CompletableFuture<>());
        synchronized (lock) {
            if (closed) {
                return CompletableFuture.failedFuture(new CouchJobsClosedException());
            }
            calls.add(call);
            for (FeedSubscription<?> subscription : call.subscriptions()) {
                callsBySubscription
                        .computeIfAbsent(subscription, unused -> new LinkedHashSet<>())
                        .add(call);
            }
        }
        answer(List.of(call));
        if (!call.result().isDone()) {
            // A cancelled call is deregistered.
            var unused = call.result().whenComplete((delivery, error) -> completeEmpty(call));
            if (timeout != null) {
                startTimer(call, timeout);
            }
        }
        return call.result();
    }

    private void startTimer(AwaitCall call, Duration timeout) {
        Future<?> timer =
                scheduler.schedule(() -> completeEmpty(call), TimerDelays.nanos(timeout), TimeUnit.NANOSECONDS);
        var unused = call.result().whenComplete((delivery, error) -> timer.cancel(false));
    }

    /** Delivers a change, and returns whether more changes can follow it. */
    boolean deliver(FeedSubscription<?> subscription, PendingChange change) {
        List<AwaitCall> waitingCalls;
        boolean canReceiveMore;
        synchronized (lock) {
            subscription.offer(change);
            waitingCalls = callsOf(subscription);
            canReceiveMore = subscription.canReceiveMore();
        }
        answer(waitingCalls);
        return canReceiveMore;
    }

    @GuardedBy("lock") private List<AwaitCall> callsOf(FeedSubscription<?> subscription) {
        return List.copyOf(callsBySubscription.getOrDefault(subscription, Set.of()));
    }

    @Override
    public void unsubscribe(FeedSubscription<?> subscription) {
        List<AwaitCall> waitingCalls;
        synchronized (lock) {
            subscription.end();
            waitingCalls = callsOf(subscription);
        }
        onUnsubscribe.accept(subscription);
        answer(waitingCalls);
    }

    /** Completes the calls that have a change, in their order, and those for which no change can follow. */
    private void answer(List<AwaitCall> waitingCalls) {
        List<Runnable> answers = new ArrayList<>();
        synchronized (lock) {
            for (AwaitCall call : waitingCalls) {
                Optional<AwaitCall.Delivery> earliest = call.earliest();
                if ((earliest.isPresent() || call.isExhausted()) && deregister(call)) {
                    earliest.ifPresent(delivery -> delivery.subscription().removeUpTo(delivery.change()));
                    answers.add(() -> call.result().complete(earliest));
                }
            }
        }
        answers.forEach(Runnable::run);
    }

    /** Deregisters a call, and completes it without a change unless it has been completed. */
    private void completeEmpty(AwaitCall call) {
        boolean wasWaiting;
        synchronized (lock) {
            wasWaiting = deregister(call);
        }
        if (wasWaiting) {
            call.result().complete(Optional.empty());
        }
    }

    /** Removes a call, and returns whether it was still waiting. */
    @GuardedBy("lock") private boolean deregister(AwaitCall call) {
        for (FeedSubscription<?> subscription : call.subscriptions()) {
            callsBySubscription.computeIfPresent(subscription, (unused, waitingCalls) -> {
                waitingCalls.remove(call);
                return waitingCalls.isEmpty() ? null : waitingCalls;
            });
        }
        return calls.remove(call);
    }

    @Override
    public void close() {
        List<AwaitCall> waitingCalls;
        synchronized (lock) {
            closed = true;
            waitingCalls = List.copyOf(calls);
            for (AwaitCall call : waitingCalls) {
                var unused = deregister(call);
            }
        }
        waitingCalls.forEach(
                call -> executor.execute(() -> call.result().completeExceptionally(new CouchJobsClosedException())));
    }
}
