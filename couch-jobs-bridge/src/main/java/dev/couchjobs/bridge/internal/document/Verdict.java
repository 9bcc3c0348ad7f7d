package dev.couchjobs.bridge.internal.document;

import java.util.Comparator;
import java.util.Optional;

/**
 * The outcome of a job.
 *
 * @param status the status
 * @param reason why, with what a person can do; empty for a success
 */
public record Verdict(Status status, Optional<String> reason) {
    /** All steps have succeeded. */
    static final Verdict SUCCESS = new Verdict(Status.SUCCESS, Optional.empty());

    /** Behind all characters, so that a reason which continues another one comes before it. */
    private static final char END = Character.MAX_VALUE;

    /** Orders verdicts; the later one prevails. Of two reasons that is the first in the alphabet. */
    static final Comparator<Verdict> ORDER = Comparator.comparing(Verdict::status)
            .thenComparing(
                    Verdict::reason,
                    OptionalComparators.optional(Comparator.comparing((String reason) -> reason + END)
                            .reversed()));

    /** The values of {@code job_status}. Where versions meet, the later one prevails. */
    public enum Status {
        /** All steps have succeeded. */
        SUCCESS,
        /** A step has failed, or the document cannot be run. */
        FAILED,
        /** A person has ended the job. */
        CANCELLED
    }

    /** {@return a verdict of failure} */
    static Verdict failed(String reason) {
        return new Verdict(Status.FAILED, Optional.of(DocumentLimits.reason(reason)));
    }

    /** {@return a verdict of a person who has ended the job} */
    static Verdict cancelled(String reason) {
        return new Verdict(Status.CANCELLED, Optional.of(DocumentLimits.reason(reason)));
    }

    /** {@return the prevailing one of two verdicts} */
    static Optional<Verdict> join(Optional<Verdict> one, Optional<Verdict> other) {
        return OptionalComparators.optional(ORDER).compare(one, other) >= 0 ? one : other;
    }
}
