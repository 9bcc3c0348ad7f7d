package dev.couchjobs.bridge.internal.action;

import java.util.concurrent.CompletableFuture;

/** Callbacks of futures. */
final class FutureCallbacks {
    private FutureCallbacks() {}

    /** Runs a task when a future has completed in any way. */
    static void whenEnded(CompletableFuture<?> future, Runnable task) {
        var unused = future.whenComplete((value, error) -> task.run());
    }
}
