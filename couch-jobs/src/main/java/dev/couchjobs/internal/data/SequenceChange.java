package dev.couchjobs.internal.data;

import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The change of a job that joins or leaves a sequence, which the end of the verb settles. A job is in its sequence
 * until it has ended; a failed one that does not let the others pass, until it is removed.
 *
 * @param ref the job
 * @param joined the place that it has taken, if it joins a sequence
 * @param left the sequence that it leaves
 * @param wasHeld whether it was held back in that sequence
 */
public record SequenceChange(JobRef ref, Optional<SequencePlace> joined, Optional<SequenceKey> left, boolean wasHeld) {
    static SequenceChange of(JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
        SequencePlace was = place(before);
        SequencePlace is = place(after);
        boolean isSame = was != null && is != null && was.name().equals(is.name());
        return new SequenceChange(
                ref,
                isSame ? Optional.empty() : Optional.ofNullable(is),
                isSame || was == null ? Optional.empty() : Optional.of(new SequenceKey(ref.keys(), was.name())),
                was != null && was.held());
    }

    boolean isAny() {
        return joined.isPresent() || left.isPresent();
    }

    /** {@return the place of a job in a sequence, or null if it is in none} */
    public static @Nullable SequencePlace place(@Nullable JobRow row) {
        if (row == null) {
            return null;
        }
        SequencePlace place = row.options().keys().sequence();
        return place == null || (row.state() == JobState.FINISHED && letsPass(row, place)) ? null : place;
    }

    private static boolean letsPass(JobRow ended, SequencePlace place) {
        return place.passesFailure() || ended.outcome() != Outcome.FAILED;
    }
}
