package dev.couchjobs.bridge.internal.transaction;

/**
 * The data of a job that runs a step.
 *
 * @param document the id of the job document
 * @param step the step's index, from 0
 * @param round the round in which the node has got the step
 */
public record StepJob(String document, int step, int round) {

    /** {@return the id of the job within its type} */
    public String id() {
        return document + "#" + step + "." + round;
    }
}
