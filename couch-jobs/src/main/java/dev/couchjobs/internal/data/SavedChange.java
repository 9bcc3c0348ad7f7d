package dev.couchjobs.internal.data;

import org.jspecify.annotations.Nullable;

/**
 * A change of a job's row that a transaction has written.
 *
 * @param ref the job
 * @param before the row before, or null
 * @param event the row as subscribers receive it, also that of a job that its end removes; null for a removed job
 * @param after the row that is kept, or null
 * @param isRestored whether the row was in quarantine: the counters include the row before, and no index has it
 */
public record SavedChange(
        JobRef ref,
        @Nullable JobRow before,
        @Nullable JobRow event,
        @Nullable JobRow after,
        boolean isRestored) {

    /** {@return the row before, as the indexes have it, or null} */
    public @Nullable JobRow indexed() {
        return isRestored ? null : before;
    }
}
