package dev.couchjobs.bridge.internal.transaction;

/**
 * The data of a job that runs a step.
 *
 * @param document the id of the job document
 * @param step the step's index, from 0
 * @param round the round in which it was given to the node that runs it
 */
public record StepJob(String document, int step, int round) {

    /** {@return its id among the jobs of its type} */
    public String id() {
        return document + "#" + step + "." + round;
    }
}
