package dev.couchjobs.internal.accept;

import java.util.concurrent.CompletableFuture;

/** What a {@link ClaimConsumer} has in hand of those who claim for it. */
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
