package dev.couchjobs;

/**
 * The number of jobs of a type by state, exact as of the transaction that read it.
 *
 * @param pending those that wait to run, now or at their scheduled time
 * @param blocked those that wait for other jobs to end
 * @param running those that are claimed
 * @param succeeded those that ended well and are still kept
 * @param failed those that failed for good, the dead letters
 * @param cancelled those that were given up on purpose and are still kept
 * @param expired those that had not begun by their deadlines and are still kept
 */
public record JobCounts(
        long pending, long blocked, long running, long succeeded, long failed, long cancelled, long expired) {
    /** {@return all jobs that are still kept} */
    public long total() {
        return pending + blocked + running + succeeded + failed + cancelled + expired;
    }
}
