package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.loop.ArmedWatch;
import dev.couchjobs.loop.WatchLooks;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Waits until messages may have been appended. The watches are armed in the transaction that has seen none. */
public final class TailWait {
    private final Environment environment;
    private final WatchLooks looks;

    /** @param looks bound the waits */
    public TailWait(Environment environment, WatchLooks looks) {
        this.environment = environment;
        this.looks = looks;
    }

    /** {@return watches of the tails of partitions} */
    public static CompletableFuture<List<ArmedWatch>> watch(Transaction tx, Log log, List<Integer> partitions) {
        List<CompletableFuture<ArmedWatch>> watches = partitions.stream()
                .map(partition -> ArmedWatch.arm(tx, log.keys().tail(partition)))
                .toList();
        return CompletableFuture.allOf(watches.toArray(CompletableFuture<?>[]::new))
                .thenApply(
                        armed -> watches.stream().map(CompletableFuture::join).toList());
    }

    /**
     * Waits.
     *
     * @param watches the watches of the transaction that has looked; none if there are messages
     * @return true if there may be messages; false when the time is up. Cancelling it ends the wait
     */
    public CompletableFuture<Boolean> await(CompletableFuture<List<ArmedWatch>> watches, Duration timeout) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        Future<?> timer = environment
                .scheduler()
                .schedule(() -> result.complete(false), timeout.toMillis(), TimeUnit.MILLISECONDS);
        var unusedEnd = result.whenComplete((value, error) -> timer.cancel(false));
        var unused = watches.whenComplete((set, error) -> {
            if (error != null) {
                result.completeExceptionally(error);
            } else if (set.isEmpty()) {
                result.complete(true);
            } else {
                complete(result, looks.awaitFirst(set));
            }
        });
        return result;
    }

    private static void complete(CompletableFuture<Boolean> result, CompletableFuture<Void> watch) {
        var unused = watch.whenComplete((fired, error) -> {
            if (error == null) {
                result.complete(true);
            } else {
                result.completeExceptionally(error);
            }
        });
        var unusedEnd = result.whenComplete((value, error) -> watch.cancel(false));
    }
}
