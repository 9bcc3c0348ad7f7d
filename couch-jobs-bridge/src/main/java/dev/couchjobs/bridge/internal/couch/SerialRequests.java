package dev.couchjobs.bridge.internal.couch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Sends requests one after another, so that a caller uses one connection, and memory for one answer. */
final class SerialRequests {
    private SerialRequests() {}

    /** {@return the results of all parts of a list, in order} */
    static <T, R> CompletableFuture<List<R>> parts(
            List<T> all, int size, Function<List<T>, CompletableFuture<List<R>>> step) {
        CompletableFuture<List<R>> result = CompletableFuture.completedFuture(new ArrayList<>());
        for (int from = 0; from < all.size(); from += size) {
            List<T> part = all.subList(from, Math.min(all.size(), from + size));
            result = result.thenCompose(before -> step.apply(part).thenApply(more -> {
                before.addAll(more);
                return before;
            }));
        }
        return result;
    }
}
