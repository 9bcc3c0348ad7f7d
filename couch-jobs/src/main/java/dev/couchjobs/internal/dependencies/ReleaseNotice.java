package dev.couchjobs.internal.dependencies;

import dev.couchjobs.Outcome;
import dev.couchjobs.internal.rows.JobRef;
import java.util.Locale;

/**
 * Says that a job has ended and that its dependents in a waiter group are still to be notified.
 *
 * @param dependency the job
 * @param group the waiter group
 * @param cause how the job ended
 */
public record ReleaseNotice(JobRef dependency, long group, Cause cause) {
    /** How a job came to an end. */
    public enum Cause {
        SUCCEEDED,
        FAILED,
        CANCELLED,
        EXPIRED,
        REMOVED;

        /** {@return the cause for the outcome of a finished job} */
        public static Cause of(Outcome outcome) {
            return switch (outcome) {
                case SUCCEEDED -> SUCCEEDED;
                case FAILED -> FAILED;
                case CANCELLED -> CANCELLED;
                case EXPIRED -> EXPIRED;
            };
        }

        /** {@return the stored text} */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Cause ofText(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }
}
