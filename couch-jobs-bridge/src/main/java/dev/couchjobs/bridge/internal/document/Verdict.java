package dev.couchjobs.bridge.internal.document;

import java.util.Comparator;
import java.util.Optional;

/**
 * How a job has ended.
 *
 * @param status how
 * @param reason why, for a person to act on; none for a success
 */
public record Verdict(Status status, Optional<String> reason) {
    /** All steps have succeeded. */
    static final Verdict SUCCESS = new Verdict(Status.SUCCESS, Optional.empty());

    /**
     * From the one that yields to the one that prevails; of two reasons the first in order prevails, which is any rule.
     */
    static final Comparator<Verdict> ORDER = Comparator.comparing(Verdict::status)
            .thenComparing(Verdict::reason, OptionalComparators.optional(Comparator.<String>reverseOrder()));

    /** The values of {@code job_status}, from the one that yields to the one that prevails where versions meet. */
    public enum Status {
        /** All steps have succeeded. */
        SUCCESS,
        /** A step has failed, or the document is none that can be run. */
        FAILED,
        /** A person has ended it. */
        CANCELLED
    }

    /** {@return that the job has failed} */
    static Verdict failed(String reason) {
        return new Verdict(Status.FAILED, Optional.of(DocumentLimits.reason(reason)));
    }

    /** {@return that a person has ended the job} */
    static Verdict cancelled(String reason) {
        return new Verdict(Status.CANCELLED, Optional.of(DocumentLimits.reason(reason)));
    }

    /** {@return the one of two that prevails} */
    static Optional<Verdict> join(Optional<Verdict> one, Optional<Verdict> other) {
        return OptionalComparators.optional(ORDER).compare(one, other) >= 0 ? one : other;
    }
}
