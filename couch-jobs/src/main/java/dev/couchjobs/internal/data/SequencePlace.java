package dev.couchjobs.internal.data;

import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The place of a job in a sequence.
 *
 * @param name the key of the sequence
 * @param token identifies the place: a job that is removed and added again has another one
 * @param passesFailure whether the jobs behind this one run if it has failed
 * @param held whether the job waits for those before it, and so is in no queue
 */
public record SequencePlace(String name, long token, boolean passesFailure, boolean held) {
    /**
     * {@return the place of a job in a sequence, or null if it is in none} A job is in its sequence until it has ended;
     * a failed one that does not let the others pass, until it is removed.
     */
    public static @Nullable SequencePlace of(@Nullable JobRow row) {
        if (row == null) {
            return null;
        }
        SequencePlace place = row.options().keys().sequence();
        return place == null || (row.state() == JobState.FINISHED && place.letsPass(row)) ? null : place;
    }

    private boolean letsPass(JobRow ended) {
        return passesFailure || ended.outcome() != Outcome.FAILED;
    }

    SequencePlace held(boolean newHeld) {
        return new SequencePlace(name, token, passesFailure, newHeld);
    }
}
