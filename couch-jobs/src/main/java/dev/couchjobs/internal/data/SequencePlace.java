package dev.couchjobs.internal.data;

/**
 * The place of a job in a sequence.
 *
 * @param name the key of the sequence
 * @param token identifies the place: a job that is removed and added again has another one
 * @param passesFailure whether the jobs behind this one run if it has failed
 * @param held whether the job waits for those before it, and so is in no queue
 */
public record SequencePlace(String name, long token, boolean passesFailure, boolean held) {
    SequencePlace held(boolean newHeld) {
        return new SequencePlace(name, token, passesFailure, newHeld);
    }
}
