package dev.couchjobs.bridge.internal.steps;

import dev.couchjobs.bridge.BridgeNode;
import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.action.Stoppable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The actions that run in this process. They can be stopped by document. A step that starts again waits until its last
 * run has stopped: the process may claim a job again while the old action is being stopped. Thread-safe.
 */
public final class RunningActions {
    private final Map<String, Map<Integer, Stoppable<Void>>> documents = new HashMap<>();

    /**
     * Adds the run of a step until it completes, and stops an earlier run of the same step.
     *
     * @param step the step's index
     * @return completes when no other run of the step is left
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

    /** Stops all runs of a document's steps. */
    public void stop(String document) {
        List<Stoppable<Void>> all;
        synchronized (this) {
            all = List.copyOf(documents.getOrDefault(document, Map.of()).values());
        }
        all.forEach(run -> run.cancel(true));
    }

    /** {@return a description of each run, for people} */
    public synchronized List<String> describe() {
        return documents.entrySet().stream()
                .flatMap(document -> document.getValue().keySet().stream()
                        .map(step -> "document " + OneLine.of(document.getKey()) + " step " + step))
                .sorted()
                .toList();
    }

    /** {@return the runs, at most so many} */
    public synchronized List<BridgeNode.RunningStep> list(int most) {
        return documents.entrySet().stream()
                .flatMap(document -> document.getValue().keySet().stream()
                        .map(step -> new BridgeNode.RunningStep(document.getKey(), step)))
                .limit(most)
                .toList();
    }

    /** {@return how many runs there are} */
    public synchronized int count() {
        return documents.values().stream().mapToInt(Map::size).sum();
    }

    /** Stops all runs. */
    public void stopAll() {
        List<Stoppable<Void>> all = new ArrayList<>();
        synchronized (this) {
            documents.values().forEach(steps -> all.addAll(steps.values()));
        }
        all.forEach(run -> run.cancel(true));
    }
}
