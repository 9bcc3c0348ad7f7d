package dev.couchjobs.internal.job;

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

    /**
     * {@return the row after a change; if it joins a sequence, held back until the end of the verb decides} A job that
     * stays in its sequence keeps its place.
     */
    public static @Nullable JobRow holdBack(@Nullable JobRow before, @Nullable JobRow after) {
        SequencePlace was = of(before);
        SequencePlace is = of(after);
        if (after == null || is == null) {
            return after;
        }
        if (was == null || before == null || !was.name().equals(is.name())) {
            return after.vanishes() ? after : after.held(true);
        }
        return was.token() == is.token()
                ? after
                : after.withOptions(after.options().inPlaceOf(before.options()));
    }

    private boolean letsPass(JobRow ended) {
        return passesFailure || ended.outcome() != Outcome.FAILED;
    }

    SequencePlace held(boolean newHeld) {
        return new SequencePlace(name, token, passesFailure, newHeld);
    }
}
