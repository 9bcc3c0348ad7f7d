package dev.couchjobs.internal.dependencies;

import dev.couchjobs.internal.data.Release;
import org.jspecify.annotations.Nullable;

/**
 * What came of looking at the jobs that another is to wait for.
 *
 * @param waits whether one of them is still to end
 * @param failure one that has ended already, and so that the job cannot run; or null
 */
public record Links(boolean waits, @Nullable Release failure) {
    /** There is nothing to wait for. */
    public static final Links NONE = new Links(false, null);

    static final Links ONE = new Links(true, null);

    static Links failed(Release failure) {
        return new Links(false, failure);
    }

    Links and(Links other) {
        return new Links(waits || other.waits, failure == null ? other.failure : failure);
    }

    /** {@return whether the job is as if it had no dependencies} */
    public boolean areNone() {
        return !waits && failure == null;
    }
}
