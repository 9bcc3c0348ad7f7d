package dev.couchjobs.internal.notify;

import dev.couchjobs.JobState;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A caller's wait for the next change of some subscriptions.
 *
 * @param of the subscriptions
 * @param state the one state waited for, or null for any
 * @param result completes with the change; empty when the time is up or none can come any more
 */
record AwaitCall(List<FeedSubscription<?>> of, @Nullable JobState state, CompletableFuture<Optional<Delivery>> result) {

    /** A change, and whose it is. */
    record Delivery(FeedSubscription<?> subscription, PendingChange change) {}

    /** The earliest change that is there. */
    Optional<Delivery> earliest() {
        return of.stream()
                .flatMap(subscription ->
                        subscription.peek(state).stream().map(change -> new Delivery(subscription, change)))
                .min(Comparator.comparing(delivery -> delivery.change().sequence()));
    }

    /** Whether no change can come any more. */
    boolean isExhausted() {
        return of.stream().noneMatch(FeedSubscription::canBringMore);
    }

    /** Every wait is its own: two calls may wait for the same. */
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
