package dev.couchjobs.bridge.internal.document;

import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The progress of a step.
 *
 * @param withdrawn the number of withdrawn claims, which is the round; that of a step that has begun is the round of
 *     its beginning
 * @param claimedBy the node that has claimed the step in this round
 * @param winner the node that the creator node has named in this round; always the one that claims the step
 * @param runs the runs by node: at most one, that of the winner; or, if the target is all nodes, one on each and no
 *     winner
 */
public record StepProgress(
        int withdrawn, Optional<String> claimedBy, Optional<String> winner, SortedMap<String, StepRun> runs) {
    /**
     * Copies the map.
     *
     * @throws IllegalArgumentException if the winner does not claim the step, or another node runs it
     */
    public StepProgress {
        runs = Collections.unmodifiableSortedMap(new TreeMap<>(runs));
        if (withdrawn < 0) {
            throw new IllegalArgumentException("the number of withdrawals is negative");
        }
        if (winner.isPresent() && !winner.equals(claimedBy)) {
            throw new IllegalArgumentException("the winner of a step must claim it");
        }
        boolean isOthers = runs.keySet().stream().anyMatch(node -> !node.equals(winner.orElse(node)));
        if (isOthers || (claimedBy.isPresent() && winner.isEmpty() && !runs.isEmpty())) {
            throw new IllegalArgumentException("the node that runs a step must be its winner");
        }
    }

    /** {@return the progress of a step that is not claimed and has not begun} */
    public static StepProgress open() {
        return new StepProgress(0, Optional.empty(), Optional.empty(), Collections.emptySortedMap());
    }

    /** {@return whether the step has begun on a node} */
    public boolean hasBegun() {
        return !runs.isEmpty();
    }

    /** {@return the run on a node, if the step has begun there} */
    public Optional<StepRun> run(String node) {
        return Optional.ofNullable(runs.get(node));
    }

    /**
     * {@return the status of the step; empty if it has not begun} A step has finished when it has on every node of its
     * target, and has failed when it has on any.
     *
     * @param target the step's target
     */
    public Optional<StepRun.Status> status(Target target) {
        if (runs.isEmpty()) {
            return Optional.empty();
        }
        Collection<StepRun> begun = runs.values();
        if (begun.stream().anyMatch(run -> run.status() == StepRun.Status.FAILED)) {
            return Optional.of(StepRun.Status.FAILED);
        }
        boolean isEverywhere =
                !(target instanceof Target.All all) || runs.keySet().containsAll(all.nodes());
        boolean isFinished = begun.stream().allMatch(run -> run.status() == StepRun.Status.FINISHED);
        return Optional.of(isEverywhere && isFinished ? StepRun.Status.FINISHED : StepRun.Status.RUNNING);
    }

    StepProgress claimedBy(String node) {
        return new StepProgress(withdrawn, Optional.of(node), winner, runs);
    }

    StepProgress withWinner(String node) {
        return new StepProgress(withdrawn, Optional.of(node), Optional.of(node), runs);
    }

    StepProgress nextRound() {
        return new StepProgress(withdrawn + 1, Optional.empty(), Optional.empty(), Collections.emptySortedMap());
    }

    /** {@return this; without claims and rounds, if the step has not begun} */
    StepProgress settled() {
        return hasBegun() ? this : open();
    }

    /** {@return this with a run on the given node as the only one} */
    StepProgress runBy(String node, StepRun run) {
        SortedMap<String, StepRun> only = new TreeMap<>();
        only.put(node, run);
        return new StepProgress(withdrawn, Optional.of(node), Optional.of(node), only);
    }

    /** {@return this with a run on the given node, among those on all nodes} */
    StepProgress with(String node, StepRun run) {
        SortedMap<String, StepRun> more = new TreeMap<>(runs);
        more.put(node, run);
        return new StepProgress(withdrawn, claimedBy, winner, more);
    }
}
