package dev.couchjobs.internal.batches;

import dev.couchjobs.JobState;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.job.BatchPlace;
import dev.couchjobs.internal.job.JobRow;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a change of a job means for its batch.
 *
 * @param change the change
 * @param batchBefore the batch of which the job was a member, or null
 * @param batchAfter the batch of which the job is a member, also if its end removes it; or null
 * @param removedBatch the batch whose closing job is removed, also by its end; or null
 */
record MemberChange(
        SavedChange change,
        @Nullable String batchBefore,
        @Nullable String batchAfter,
        @Nullable String removedBatch) {
    /** {@return what a change means; empty for that of a job in no batch} */
    static Optional<MemberChange> of(SavedChange change) {
        BatchPlace was = place(change.before());
        BatchPlace is = place(change.event());
        if (was == null && is == null) {
            return Optional.empty();
        }
        String removed = was != null && was.isClosing() && change.after() == null ? was.batch() : null;
        return Optional.of(new MemberChange(change, member(was), member(is), removed));
    }

    private static @Nullable BatchPlace place(@Nullable JobRow row) {
        return row == null ? null : row.options().keys().batch();
    }

    private static @Nullable String member(@Nullable BatchPlace place) {
        return place == null || place.isClosing() ? null : place.batch();
    }

    /** {@return whether the change counts in a batch, or may remove one} */
    boolean isAny() {
        JobRow before = change.before();
        JobRow after = change.event();
        BatchPlace was = place(before);
        BatchPlace is = place(after);
        return before == null
                || after == null
                || hasEnded(before) != hasEnded(after)
                || was == null
                || is == null
                || !was.batch().equals(is.batch());
    }

    private static boolean hasEnded(JobRow row) {
        return row.state() == JobState.FINISHED;
    }
}
