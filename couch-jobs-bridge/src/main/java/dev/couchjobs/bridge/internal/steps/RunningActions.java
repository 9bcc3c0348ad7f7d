package dev.couchjobs.bridge.internal.steps;

import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.action.Stoppable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The actions that run in this process. It stops them, and it prevents that an action starts again before its last run
 * has stopped: this process may claim a job again while the old action is still being stopped. Thread-safe.
 */
public final class RunningActions {
    private final Map<String, Map<Integer, Stoppable<Void>>> documents = new HashMap<>();

    /**
     * Notes that a step is run, until that is complete. One that is still run is stopped.
     *
     * @param step the step's index
     * @return when nothing of the step is run any more but this
     */
    public CompletableFuture<Void> add(String document, int step, Stoppable<Void> run) {
        Stoppable<Void> before;
        synchronized (this) {
            before =
                    documents.computeIfAbsent(document, none -> new HashMap<>()).put(step, run);
        }
        var unused = run.whenComplete((result, error) -> remove(document, step, run));
        if (before == null) {
            return CompletableFuture.completedFuture(null);
        }
        before.cancel(true);
        return before.handle((result, error) -> null);
    }

    private synchronized void remove(String document, int step, Stoppable<Void> run) {
        documents.computeIfPresent(document, (id, steps) -> {
            steps.remove(step, run);
            return steps.isEmpty() ? null : steps;
        });
    }

    /** Stops all that is run for a document. */
    public void stop(String document) {
        List<Stoppable<Void>> all;
        synchronized (this) {
            all = List.copyOf(documents.getOrDefault(document, Map.of()).values());
        }
        all.forEach(run -> run.cancel(true));
    }

    /** {@return what is run, for people} */
    public synchronized List<String> describe() {
        return documents.entrySet().stream()
                .flatMap(document -> document.getValue().keySet().stream()
                        .map(step -> "document " + OneLine.of(document.getKey()) + " step " + step))
                .sorted()
                .toList();
    }

    /** Stops everything. */
    public void stopAll() {
        List<Stoppable<Void>> all = new ArrayList<>();
        synchronized (this) {
            documents.values().forEach(steps -> all.addAll(steps.values()));
        }
        all.forEach(run -> run.cancel(true));
    }
}
