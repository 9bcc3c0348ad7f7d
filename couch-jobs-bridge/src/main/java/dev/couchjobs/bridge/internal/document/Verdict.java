package dev.couchjobs.bridge.internal.document;

import java.util.Optional;

/**
 * How a job has ended.
 *
 * @param status how
 * @param reason why, for a person to act on; none for a success
 */
public record Verdict(Status status, Optional<String> reason) {

    /** The values of {@code job_status}, from the one that yields to the one that prevails where versions meet. */
    public enum Status {
        /** All steps have succeeded. */
        SUCCESS,
        /** A step has failed, or the document is none that can be run. */
        FAILED,
        /** A person has ended it. */
        CANCELLED
    }
}
