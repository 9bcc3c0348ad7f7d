package dev.couchjobs.bridge.internal.action;

import java.util.concurrent.CompletableFuture;

/** What is done about futures here. */
final class FutureCallbacks {
    private FutureCallbacks() {}

    /** Does something when a future has ended, however it has. */
    static void whenEnded(CompletableFuture<?> future, Runnable task) {
        var unused = future.whenComplete((value, error) -> task.run());
    }
}
