package dev.couchjobs;

import java.util.UUID;

/**
 * What names a claim: all that a process knows of the claim of another.
 *
 * @param type the type of the job
 * @param jobId its id
 * @param lock the {@linkplain Job#lock lock} of the claim
 */
public record ClaimKey(JobType<?, ?> type, String jobId, UUID lock) {
    /** Leaves out the lock, which lets its holder write. */
    @Override
    public String toString() {
        return type + "/" + jobId;
    }
}
