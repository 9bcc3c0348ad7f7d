package dev.couchjobs.internal.accept;

import java.util.concurrent.CompletableFuture;

/** The handle of a {@link ClaimConsumer} on the acceptor that claims for it. */
public interface ClaimSubscription {

    /** Wakes the acceptor, because the consumer's demand has grown. */
    void demandChanged();

    /**
     * Ends the claims for the consumer.
     *
     * @return a future that completes when the current claim has been delivered and, if the acceptor has no other
     *     request, this process no longer watches for new jobs
     */
    CompletableFuture<?> close();
}
