package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.JobInfo;
import dev.couchjobs.JobReason;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
import java.time.Instant;
import java.util.Optional;

/**
 * The state of a document in the store.
 *
 * @param isDamaged whether its entry cannot be read
 * @param isSkipped whether the import skipped it after an error
 * @param inOutbox whether the outbox contains it
 * @param retryAt when the publisher writes it again, if CouchDB has refused it
 * @param job the job of its current step, or of its work item, if this node may run that
 */
record StoredState(
        Optional<DocumentEntry> entry,
        boolean isDamaged,
        boolean isSkipped,
        boolean inOutbox,
        Optional<Instant> retryAt,
        Optional<StoredJob> job) {
    /**
     * A job.
     *
     * @param info the job
     * @param reason what keeps it from running
     */
    record StoredJob(JobInfo<?, ?> info, JobReason reason) {}

    /** That of a document which the store does not contain. */
    static final StoredState NONE =
            new StoredState(Optional.empty(), false, false, false, Optional.empty(), Optional.empty());

    /** {@return whether the store knows the document} */
    boolean isKnown() {
        return entry.isPresent() || isDamaged || isSkipped;
    }
}
