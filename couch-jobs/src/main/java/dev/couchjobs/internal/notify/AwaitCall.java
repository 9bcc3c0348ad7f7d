package dev.couchjobs.internal.notify;

import dev.couchjobs.JobState;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A call that waits for the next change of any of its subscriptions.
 *
 * @param subscriptions the subscriptions
 * @param state the only state to wait for, or null for any
 * @param result completes with the change, or empty after the timeout or when no change can follow
 */
record AwaitCall(
        List<FeedSubscription<?>> subscriptions,
        @Nullable JobState state,
        CompletableFuture<Optional<Delivery>> result) {

    /** A change, and the subscription that has received it. */
    record Delivery(FeedSubscription<?> subscription, PendingChange change) {}

    /** The earliest change that the subscriptions have received and not delivered. */
    Optional<Delivery> earliest() {
        return subscriptions.stream()
                .flatMap(subscription ->
                        subscription.peek(state).stream().map(change -> new Delivery(subscription, change)))
                .min(Comparator.comparing(delivery -> delivery.change().sequence()));
    }

    /** Whether no change can follow. */
    boolean isExhausted() {
        return subscriptions.stream().noneMatch(FeedSubscription::canReceiveMore);
    }

    /** Compares by identity: calls with the same subscriptions are different calls. */
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
