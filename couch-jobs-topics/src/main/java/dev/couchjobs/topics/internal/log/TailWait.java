package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Waits until messages may have been appended. The watches are set in the transaction that has seen none. */
public final class TailWait {
    private final Environment environment;

    public TailWait(Environment environment) {
        this.environment = environment;
    }

    /** {@return watches of the tails of partitions} */
    public static List<CompletableFuture<Void>> watch(Transaction tx, Log log, List<Integer> partitions) {
        return partitions.stream()
                .map(partition -> tx.watch(log.keys().tail(partition)))
                .toList();
    }

    /**
     * Waits.
     *
     * @param watches the watches of the transaction that has looked; none if there are messages
     * @return true if there may be messages; false when the time is up. Cancelling it ends the wait
     */
    public CompletableFuture<Boolean> await(
            CompletableFuture<List<CompletableFuture<Void>>> watches, Duration timeout) {
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
                set.forEach(watch -> complete(result, watch));
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
