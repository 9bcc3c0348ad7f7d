package dev.couchjobs.bridge.internal.document;

import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How far a step is.
 *
 * @param withdrawn how often a claim on it was withdrawn: claims of different rounds are different claims. Of a step
 *     that has begun it is the round in which it did
 * @param claimedBy the node that would run it, if one has said so in this round
 * @param winner the node that is to run it, if the creator has named one in this round; always the one that claims it
 * @param runs its runs by their nodes: at most one, that of the winner; or, if the target is all nodes, one on each,
 *     and no winner
 */
public record StepProgress(
        int withdrawn, Optional<String> claimedBy, Optional<String> winner, SortedMap<String, StepRun> runs) {
    /**
     * Keeps a copy of the map.
     *
     * @throws IllegalArgumentException if the winner is not the one that claims it, or not the one that runs it
     */
    public StepProgress {
        runs = Collections.unmodifiableSortedMap(new TreeMap<>(runs));
        if (withdrawn < 0) {
            throw new IllegalArgumentException("nothing is withdrawn less often than never");
        }
        if (winner.isPresent() && !winner.equals(claimedBy)) {
            throw new IllegalArgumentException("only who claims a step wins it");
        }
        boolean isOthers = runs.keySet().stream().anyMatch(node -> !node.equals(winner.orElse(node)));
        if (isOthers || (claimedBy.isPresent() && winner.isEmpty() && !runs.isEmpty())) {
            throw new IllegalArgumentException("only who has won a step runs it");
        }
    }

    /** {@return a step of which nothing is known yet} */
    public static StepProgress open() {
        return new StepProgress(0, Optional.empty(), Optional.empty(), Collections.emptySortedMap());
    }

    /** {@return whether it has begun anywhere} */
    public boolean hasBegun() {
        return !runs.isEmpty();
    }

    /** {@return its run on a node, if it has begun there} */
    public Optional<StepRun> run(String node) {
        return Optional.ofNullable(runs.get(node));
    }

    /**
     * {@return how the step stands; empty if it has not begun} It has finished when it has on every node where it is
     * to, and has failed when it has on any.
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

    /** {@return the step with its only run on this node} */
    StepProgress runBy(String node, StepRun run) {
        SortedMap<String, StepRun> only = new TreeMap<>();
        only.put(node, run);
        return new StepProgress(withdrawn, Optional.of(node), Optional.of(node), only);
    }

    /** {@return the step with this run among those on all nodes} */
    StepProgress with(String node, StepRun run) {
        SortedMap<String, StepRun> more = new TreeMap<>(runs);
        more.put(node, run);
        return new StepProgress(withdrawn, claimedBy, winner, more);
    }
}
