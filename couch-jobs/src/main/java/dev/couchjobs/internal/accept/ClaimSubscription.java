package dev.couchjobs.internal.accept;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The handle of a {@link ClaimConsumer} on the acceptor that claims for it. */
public interface ClaimSubscription {

    /** Wakes the acceptor, because the consumer's demand has grown. */
    void demandChanged();

    /**
     * {@return the next claim, to be made in a transaction that ends jobs first; empty if the acceptor claims at the
     * moment, or waits after an error, or if nothing is demanded}
     */
    Optional<JoiningClaim> join();

    /**
     * Ends the claims for the consumer.
     *
     * @return a future that completes when the current claim has been delivered and, if the acceptor has no other
     *     request, this process no longer watches for new jobs
     */
    CompletableFuture<?> close();
}
