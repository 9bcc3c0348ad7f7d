package dev.couchjobs.bridge.internal.engine;

import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The steps that run in this process, so that those of a job that has ended stop at once. Thread-safe. */
final class Running {
    private final Map<String, Set<Runnable>> steps = new HashMap<>();

    /**
     * Notes that something is run for a document until it is complete.
     *
     * @param stop ends it
     */
    void add(String document, CompletableFuture<?> step, Runnable stop) {
        synchronized (this) {
            steps.computeIfAbsent(document, none -> Collections.newSetFromMap(new IdentityHashMap<>()))
                    .add(stop);
        }
        var unused = step.whenComplete((result, error) -> remove(document, stop));
    }

    private synchronized void remove(String document, Runnable step) {
        steps.computeIfPresent(document, (id, left) -> {
            left.remove(step);
            return left.isEmpty() ? null : left;
        });
    }

    /** Stops all that is run for a document. */
    void stop(String document) {
        List<Runnable> all;
        synchronized (this) {
            all = List.copyOf(steps.getOrDefault(document, Set.of()));
        }
        all.forEach(Runnable::run);
    }
}
