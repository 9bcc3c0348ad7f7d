package dev.couchjobs.fdb.internal.common;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Completes futures on the executor that their owner chose, so that a user's continuation never runs in the engine. */
public final class Completions {
    private Completions() {}

    public static void complete(CompletableFuture<@Nullable Void> future, Executor executor) {
        execute(() -> future.complete(null), executor);
    }

    public static void fail(CompletableFuture<?> future, Throwable error, Executor executor) {
        execute(() -> future.completeExceptionally(error), executor);
    }

    public static void execute(Runnable completion, Executor executor) {
        try {
            executor.execute(completion);
        } catch (RuntimeException | Error refused) {
            // Its owner has stopped the executor, or it has no thread: an answer on the wrong one is better than none,
            // and no other caller's answer depends on that executor.
            completion.run();
        }
    }

    /** Runs {@code observer} when the future is settled, with the error or null; for its effect, not for a value. */
    public static void whenSettled(CompletableFuture<?> future, Consumer<@Nullable Throwable> observer) {
        CompletableFuture<?> unused = future.whenComplete((value, error) -> observer.accept(error));
    }
}
