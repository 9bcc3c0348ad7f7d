package dev.couchjobs.server.internal.http;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Reads, and while that has nothing, waits and reads again until the time is up or the client leaves. */
public final class Waiting<T> {
    private final Supplier<CompletableFuture<T>> read;
    private final Predicate<T> isEmpty;
    private final Function<Duration, CompletableFuture<Boolean>> await;
    private final Instant until;

    /** What this waits for, to be cancelled when the client leaves. */
    private volatile CompletableFuture<Boolean> wait = CompletableFuture.completedFuture(true);

    private volatile boolean hasLeft;
    private boolean isWatching;

    /**
     * @param isEmpty whether what was read is nothing that the client waits for
     * @param await waits for so long at most; false when the time is up
     */
    public Waiting(
            Supplier<CompletableFuture<T>> read,
            Predicate<T> isEmpty,
            Function<Duration, CompletableFuture<Boolean>> await,
            Instant until) {
        this.read = read;
        this.isEmpty = isEmpty;
        this.await = await;
        this.until = until;
    }

    /** {@return what was read last} */
    public CompletableFuture<T> run(WaitingClient client) {
        return read.get().thenCompose(found -> {
            Duration left = Duration.between(ServerEnvironment.now(), until);
            if (!isEmpty.test(found) || hasLeft || left.isNegative() || left.isZero()) {
                return CompletableFuture.completedFuture(found);
            }
            if (!isWatching) {
                isWatching = true;
                client.watch(1, this::leave);
            }
            return await(left).thenCompose(isNews -> isNews ? run(client) : CompletableFuture.completedFuture(found));
        });
    }

    private CompletableFuture<Boolean> await(Duration left) {
        CompletableFuture<Boolean> news = await.apply(left);
        wait = news;
        if (hasLeft) {
            news.cancel(false);
        }
        return news.exceptionallyCompose(
                error -> hasLeft ? CompletableFuture.completedFuture(false) : CompletableFuture.failedFuture(error));
    }

    private void leave() {
        hasLeft = true;
        wait.cancel(false);
    }
}
