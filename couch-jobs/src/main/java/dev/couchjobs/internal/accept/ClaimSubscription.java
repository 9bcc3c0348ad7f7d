package dev.couchjobs.internal.accept;

import java.util.concurrent.CompletableFuture;

/** The handle of a {@link ClaimConsumer} on the acceptor that claims for it. */
public interface ClaimSubscription {

    /** There is room again, or more of it. */
    void demandChanged();

    /**
     * Claims nothing more.
     *
     * @return completes when the last claim has been given, if one is under way, and another process watches for new
     *     jobs
     */
    CompletableFuture<?> close();
}
