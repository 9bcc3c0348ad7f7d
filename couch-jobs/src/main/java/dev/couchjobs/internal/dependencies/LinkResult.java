package dev.couchjobs.internal.dependencies;

import org.jspecify.annotations.Nullable;

/**
 * What came of looking at the jobs that another is to wait for.
 *
 * @param waits whether one of them is still to end
 * @param failure one that has ended already, and so that the job cannot run; or null
 */
public record LinkResult(boolean waits, @Nullable ReleaseNotice failure) {
    /** There is nothing to wait for. */
    public static final LinkResult NONE = new LinkResult(false, null);

    static final LinkResult ONE = new LinkResult(true, null);

    static LinkResult failed(ReleaseNotice failure) {
        return new LinkResult(false, failure);
    }

    LinkResult and(LinkResult other) {
        return new LinkResult(waits || other.waits, failure == null ? other.failure : failure);
    }

    /** {@return whether the job is as if it had no dependencies} */
    public boolean areNone() {
        return !waits && failure == null;
    }
}
