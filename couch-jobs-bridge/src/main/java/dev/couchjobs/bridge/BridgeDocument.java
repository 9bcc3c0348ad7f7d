package dev.couchjobs.bridge;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A job document, as the store of a node has it. Plans and outputs are in the document itself.
 *
 * @param id the document's id
 * @param creator the node on which the job was created
 * @param state what became of it
 * @param reason why it failed, was cancelled or refused
 * @param step the index of the first step that has not succeeded
 * @param steps its steps; none if it cannot be read
 * @param waitsFor what it waits for, or its progress, for people; empty in listings
 */
public record BridgeDocument(
        String id,
        String creator,
        State state,
        Optional<String> reason,
        int step,
        List<Step> steps,
        Optional<String> waitsFor) {

    /** What became of a document. */
    public enum State {
        /** It has not ended. */
        RUNNING,
        /** All steps have succeeded. */
        SUCCESS,
        /** A step has failed, or a person has given it up. */
        FAILED,
        /** A person has cancelled it. */
        CANCELLED,
        /** It cannot be run. */
        REFUSED,
        /** It was deleted. */
        DELETED,
        /** Its entry cannot be read. */
        DAMAGED
    }

    /** What became of a step. */
    public enum StepState {
        /** It has begun. */
        RUNNING,
        /** It has succeeded. */
        FINISHED,
        /** It has failed for good. */
        FAILED
    }

    /**
     * A step.
     *
     * @param index the index, from 0
     * @param targets the names in its target
     * @param state what became of it; empty if it has not begun
     * @param claimedBy the node that claims it
     * @param winner the node that is to run it
     * @param runs its runs: one, or for all nodes one on each that has begun
     */
    public record Step(
            int index,
            List<String> targets,
            Optional<StepState> state,
            Optional<String> claimedBy,
            Optional<String> winner,
            List<Run> runs) {
        /**
         * Copies the lists.
         *
         * @param index see above
         * @param targets see above
         * @param state see above
         * @param claimedBy see above
         * @param winner see above
         * @param runs see above
         */
        public Step {
            targets = List.copyOf(targets);
            runs = List.copyOf(runs);
        }
    }

    /**
     * A run of a step.
     *
     * @param node the node
     * @param state what became of it
     * @param executioner what runs it
     * @param begun how often it has begun
     * @param tries how many tries have failed
     * @param startedAt when it began, by the clock of its node
     * @param finishedAt when it ended
     * @param exitStatus the exit status of its command, or the status of its request
     * @param reason why it has failed
     */
    public record Run(
            String node,
            StepState state,
            String executioner,
            int begun,
            int tries,
            Optional<Instant> startedAt,
            Optional<Instant> finishedAt,
            OptionalInt exitStatus,
            Optional<String> reason) {}

    /**
     * Copies the steps.
     *
     * @param id see above
     * @param creator see above
     * @param state see above
     * @param reason see above
     * @param step see above
     * @param steps see above
     * @param waitsFor see above
     */
    public BridgeDocument {
        steps = List.copyOf(steps);
    }

    BridgeDocument waitingFor(String what) {
        return new BridgeDocument(id, creator, state, reason, step, steps, Optional.of(what));
    }
}
