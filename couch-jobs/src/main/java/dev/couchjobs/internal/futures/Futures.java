package dev.couchjobs.internal.futures;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Several futures as one, which completes when all have ended, and fails if one of them has failed. */
public final class Futures {
    private Futures() {}

    public static CompletableFuture<Void> allOf(Collection<? extends CompletableFuture<?>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new));
    }

    public static <T> CompletableFuture<List<T>> listOf(List<CompletableFuture<T>> futures) {
        return allOf(futures)
                .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
    }

    public static <T> CompletableFuture<List<T>> presentOf(List<CompletableFuture<Optional<T>>> futures) {
        return allOf(futures)
                .thenApply(done -> futures.stream()
                        .flatMap(future -> future.join().stream())
                        .toList());
    }

    public static <K, V> CompletableFuture<Map<K, V>> valuesOf(Map<K, CompletableFuture<V>> futures) {
        return allOf(futures.values()).thenApply(done -> {
            Map<K, V> values = new LinkedHashMap<>();
            futures.forEach((key, value) -> values.put(key, value.join()));
            return values;
        });
    }
}
