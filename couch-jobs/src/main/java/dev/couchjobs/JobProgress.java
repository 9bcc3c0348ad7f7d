package dev.couchjobs;

import java.time.Instant;
import java.util.Objects;

/**
 * How far a job is, in the words of its handler.
 *
 * @param done how much is done, not negative
 * @param total of how much, not less than {@code done}; 0 if that is not known
 * @param text what is being done, at most {@value #TEXT_CHARS_MAX} characters; may be empty
 * @param at when this was said, by the clock of who said it
 */
public record JobProgress(long done, long total, String text, Instant at) {
    /** The longest text. */
    public static final int TEXT_CHARS_MAX = 1_000;

    /**
     * Checks the limits.
     *
     * @param done see above
     * @param total see above
     * @param text see above
     * @param at see above
     * @throws IllegalArgumentException if one of them is out of its limits
     */
    public JobProgress {
        Objects.requireNonNull(at, "at");
        if (done < 0 || total < 0 || (total > 0 && done > total)) {
            throw new IllegalArgumentException(
                    "Progress is from 0 to the total, or without a total (0); this is " + done + " of " + total + ".");
        }
        if (text.length() > TEXT_CHARS_MAX) {
            throw new IllegalArgumentException("The text of a progress has at most " + TEXT_CHARS_MAX
                    + " characters; this one has " + text.length() + ": put the rest into the job's log.");
        }
    }
}
