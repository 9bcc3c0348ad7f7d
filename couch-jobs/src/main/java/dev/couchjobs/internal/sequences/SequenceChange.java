package dev.couchjobs.internal.sequences;

import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.job.SequencePlace;
import dev.couchjobs.internal.rows.JobRef;
import java.util.Optional;

/**
 * What a change of a job means for its sequence.
 *
 * @param ref the job
 * @param joined the place that it has taken, if it joins a sequence
 * @param left the sequence that it leaves
 * @param wasHeld whether it was held back in that sequence
 */
record SequenceChange(JobRef ref, Optional<SequencePlace> joined, Optional<SequenceKey> left, boolean wasHeld) {
    /** {@return what a change means; empty for that of a job in no sequence} */
    static Optional<SequenceChange> of(SavedChange change) {
        JobRef ref = change.ref();
        boolean isKept = change.origin() == SavedChange.Origin.UNINDEXED;
        SequencePlace was = SequencePlace.of(isKept ? change.before() : change.indexed());
        SequencePlace is = SequencePlace.of(change.after());
        if (was == null && is == null) {
            return Optional.empty();
        }
        boolean isSame = was != null && is != null && was.name().equals(is.name());
        return Optional.of(new SequenceChange(
                ref,
                isSame ? Optional.empty() : Optional.ofNullable(is),
                isSame || was == null ? Optional.empty() : Optional.of(new SequenceKey(ref.keys(), was.name())),
                was != null && was.held()));
    }

    boolean isAny() {
        return joined.isPresent() || left.isPresent();
    }
}
