package dev.couchjobs.internal.data;

import dev.couchjobs.JobState;
import org.jspecify.annotations.Nullable;

/**
 * The change of a job in a batch, which the end of the verb settles.
 *
 * @param ref the job
 * @param before the row before, or null
 * @param after the row after, also that of a job that its end removes; or null
 */
public record BatchChange(
        JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
    static boolean isToSettle(@Nullable JobRow before, @Nullable JobRow after) {
        BatchPlace was = place(before);
        BatchPlace is = place(after);
        return (was != null || is != null)
                && (before == null
                        || after == null
                        || hasEnded(before) != hasEnded(after)
                        || was == null
                        || is == null
                        || !was.batch().equals(is.batch()));
    }

    private static boolean hasEnded(JobRow row) {
        return row.state() == JobState.FINISHED;
    }

    private static @Nullable BatchPlace place(@Nullable JobRow row) {
        return row == null ? null : row.options().keys().batch();
    }

    /** {@return the batch of which the job was a member, or null} */
    public @Nullable String batchBefore() {
        return member(before);
    }

    /** {@return the batch of which the job is a member, or null} */
    public @Nullable String batchAfter() {
        return member(after);
    }

    private static @Nullable String member(@Nullable JobRow row) {
        BatchPlace place = place(row);
        return place == null || place.isClosing() ? null : place.batch();
    }

    /** {@return the batch whose closing job is removed, also by its end, or null} */
    public @Nullable String removedBatch() {
        BatchPlace was = place(before);
        return was != null && was.isClosing() && (after == null || after.vanishes()) ? was.batch() : null;
    }
}
