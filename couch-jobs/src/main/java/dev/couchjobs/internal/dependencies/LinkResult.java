package dev.couchjobs.internal.dependencies;

import org.jspecify.annotations.Nullable;

/**
 * The result of linking a job to its dependencies.
 *
 * @param waits whether the job waits for a dependency
 * @param failure the end of a dependency because of which the job cannot run, or null
 */
public record LinkResult(boolean waits, @Nullable ReleaseNotice failure) {
    /** The job waits for no dependency. */
    public static final LinkResult NONE = new LinkResult(false, null);

    /** The job waits for a dependency. */
    static final LinkResult WAITS = new LinkResult(true, null);

    static LinkResult failed(ReleaseNotice failure) {
        return new LinkResult(false, failure);
    }

    LinkResult and(LinkResult other) {
        return new LinkResult(waits || other.waits, failure == null ? other.failure : failure);
    }

    /** {@return whether the job is added as if it had no dependencies} */
    public boolean isNone() {
        return !waits && failure == null;
    }
}
