package dev.couchjobs.internal.dependencies;

import dev.couchjobs.Outcome;
import dev.couchjobs.internal.data.JobRef;
import java.util.Locale;

/**
 * A job has ended, and its dependents in a waiter group are to be settled.
 *
 * @param dependency the job
 * @param group their waiter group
 * @param cause how it ended
 */
public record ReleaseNotice(JobRef dependency, long group, Cause cause) {
    /** How a job came to an end. */
    public enum Cause {
        SUCCEEDED,
        FAILED,
        CANCELLED,
        REMOVED;

        /** {@return how a job that has finished came to its end} */
        public static Cause of(Outcome outcome) {
            return switch (outcome) {
                case SUCCEEDED -> SUCCEEDED;
                case FAILED -> FAILED;
                case CANCELLED -> CANCELLED;
            };
        }

        /** {@return the word for it, as it is stored} */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Cause ofText(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }
}
