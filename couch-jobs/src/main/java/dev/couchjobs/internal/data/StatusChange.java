package dev.couchjobs.internal.data;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The change of a job that the status index shows.
 *
 * @param ref the job
 * @param before the row before, or null
 * @param after the row after, or null
 */
record StatusChange(
        JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
    /** {@return whether a change shows in the index; that of a heartbeat does not} */
    static boolean isToSettle(@Nullable JobRow before, @Nullable JobRow after) {
        if (before == null || after == null) {
            return before != null || after != null;
        }
        JobOptions were = before.options();
        JobOptions are = after.options();
        return before.state() != after.state()
                || before.scheduledTime() != after.scheduledTime()
                || before.claimInfo().number() != after.claimInfo().number()
                || before.claimInfo().failures() != after.claimInfo().failures()
                || were.isBlocked() != are.isBlocked()
                || were.due() != are.due()
                || were.priority() != are.priority()
                || were.since() != are.since()
                || !were.keys().equals(are.keys())
                || !Objects.equals(before.claimEnd(), after.claimEnd());
    }

    /** {@return this change and one that follows it} */
    StatusChange then(StatusChange next) {
        return new StatusChange(ref, before, next.after);
    }
}
