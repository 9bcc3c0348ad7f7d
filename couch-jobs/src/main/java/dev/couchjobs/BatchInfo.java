package dev.couchjobs;

import java.util.Optional;

/**
 * What is known of a batch, exact as of the transaction that read it. A member that is retried or added again after its
 * end has not ended.
 *
 * @param name the name
 * @param state where it stands
 * @param closingJob the id of its closing job, if it has one
 * @param outstanding how many members have not ended
 * @param succeeded how many have succeeded
 * @param failed how many have failed for good
 * @param cancelled how many were cancelled
 * @param expired how many had not begun by their deadlines
 * @param removed how many were removed, or added again without the batch, before they had ended
 */
public record BatchInfo(
        String name,
        BatchState state,
        Optional<String> closingJob,
        long outstanding,
        long succeeded,
        long failed,
        long cancelled,
        long expired,
        long removed) {
    /** {@return how many members there have been} */
    public long total() {
        return outstanding + succeeded + failed + cancelled + expired + removed;
    }
}
