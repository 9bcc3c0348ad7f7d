package dev.couchjobs;

/**
 * Why a claim was released after the work under it had begun. Releases are no failures: they are counted apart, by
 * reason, from the last enqueue on ({@link JobInfo#releases}), and {@link JobType#maxReleases(ReleaseReason, int)}
 * bounds them (RFC 008).
 */
public enum ReleaseReason {
    /** The processor shut down before the work was done, or released the claim for a reason of its own. */
    SHUTDOWN(100),
    /** The handler, or a callback of its attempt, threw an {@link OutOfMemoryError}. */
    OUT_OF_MEMORY(3);

    private final int defaultMax;

    ReleaseReason(int defaultMax) {
        this.defaultMax = defaultMax;
    }

    /** {@return how many releases for this reason a job may have, unless its type says otherwise} */
    public int defaultMax() {
        return defaultMax;
    }
}
