package dev.couchjobs.bridge.internal.document;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How far a step is.
 *
 * @param withdrawn how often a claim on it was withdrawn: claims of different rounds are different claims
 * @param claimedBy the node that would run it, if one has said so in this round
 * @param winner the node that is to run it, if the creator has named one in this round
 * @param runs its runs by their nodes: at most one, or one on each node if the target is all of them
 */
public record StepProgress(
        int withdrawn, Optional<String> claimedBy, Optional<String> winner, SortedMap<String, Run> runs) {
    /** Keeps a copy of the map. */
    public StepProgress {
        runs = Collections.unmodifiableSortedMap(new TreeMap<>(runs));
    }

    /** {@return a step of which nobody has said anything} */
    public static StepProgress open() {
        return new StepProgress(0, Optional.empty(), Optional.empty(), Collections.emptySortedMap());
    }
}
