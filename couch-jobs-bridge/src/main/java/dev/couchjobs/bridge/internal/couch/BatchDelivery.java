package dev.couchjobs.bridge.internal.couch;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Delivers batches of changes to a listener, each within a time limit. A future of the listener that never completes
 * would stop the feed, so its batch counts as lost.
 */
final class BatchDelivery {
    /** The time limit for a batch, in time limits of requests: a listener may need several requests. */
    private static final int TIMEOUTS_OF_A_BATCH = 5;
    /** How often this limit doubles while batches are lost in a row, so that a slow one completes at last. */
    private static final int DOUBLINGS = 8;

    private final CouchSettings settings;
    private final ChangesListener listener;
    private final AtomicInteger lostInARow = new AtomicInteger();

    BatchDelivery(CouchSettings settings, ChangesListener listener) {
        this.settings = settings;
        this.listener = listener;
    }

    /**
     * Delivers a batch.
     *
     * @param position the position to store with it
     * @return completes when the listener has processed the batch; fails if the listener fails, or not in time
     */
    CompletableFuture<@Nullable Void> deliver(Inbox.Batch batch, JsonNode position) {
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        Duration limit =
                settings.timeout().multipliedBy((long) TIMEOUTS_OF_A_BATCH << Math.min(lostInARow.get(), DOUBLINGS));
        Future<?> timer = settings.environment()
                .scheduler()
                .schedule(
                        () -> settings.executor().execute(() -> lost(batch, limit, result)),
                        limit.toNanos(),
                        TimeUnit.NANOSECONDS);
        var unused = call(batch, position).whenComplete((done, thrown) -> {
            timer.cancel(false);
            if (thrown != null) {
                result.completeExceptionally(thrown);
            } else if (!result.isDone()) {
                lostInARow.set(0);
                result.complete(null);
            }
        });
        return result;
    }

    private CompletableFuture<Void> call(Inbox.Batch batch, JsonNode position) {
        try {
            return listener.changed(batch.changes(), position);
        } catch (Throwable e) { // also an error, which would stop the feed
            return CompletableFuture.failedFuture(e);
        }
    }

    private void lost(Inbox.Batch batch, Duration limit, CompletableFuture<?> result) {
        lostInARow.incrementAndGet();
        result.completeExceptionally(new TimeoutException(
                batch.changes().size() + " changes were not processed within " + limit.toSeconds() + " s"));
    }
}
