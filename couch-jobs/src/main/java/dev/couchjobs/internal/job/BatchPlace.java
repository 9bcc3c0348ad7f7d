package dev.couchjobs.internal.job;

/**
 * The place of a job in a batch.
 *
 * @param batch the name of the batch
 * @param isClosing whether the job is the one that runs when the batch closes, and no member
 * @param held whether a closing job waits for that, and so is in no queue
 */
public record BatchPlace(String batch, boolean isClosing, boolean held) {
    /** {@return the place of a member} */
    public static BatchPlace ofMember(String batch) {
        return new BatchPlace(batch, false, false);
    }

    /** {@return the place of a closing job that waits} */
    public static BatchPlace ofClosing(String batch) {
        return new BatchPlace(batch, true, true);
    }

    BatchPlace released() {
        return new BatchPlace(batch, isClosing, false);
    }
}
