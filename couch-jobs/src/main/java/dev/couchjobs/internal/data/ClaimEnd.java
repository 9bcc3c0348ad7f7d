package dev.couchjobs.internal.data;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.Outcome;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The end of the last claim on a job, and the result and retention if the job ended with it.
 *
 * @param how how the claim ended
 * @param at when, in milliseconds since the epoch, by the clock of the process that ended it
 * @param error the error text, bounded in size
 * @param result the result of the job, or null
 * @param removeAt when an ended job is removed, in seconds since the epoch; {@link #NEVER} or {@link #AT_ONCE}
 * @param archived whether the job is removed only after an archive has accepted it
 */
public record ClaimEnd(
        AttemptEnd how,
        long at,
        @Nullable String error,
        @Nullable Payload result,
        long removeAt,
        boolean archived) {
    /** The retention does not remove the job. */
    public static final long NEVER = 0;
    /** The end of the job removes it. */
    public static final long AT_ONCE = -1;
    /** The stored text of {@link AttemptEnd#RELEASED}. */
    private static final String RELEASED_TEXT = "handed_back";

    /** {@return the end of a claim without the end of its job} */
    public static ClaimEnd of(AttemptEnd how, long at, @Nullable String error) {
        return new ClaimEnd(how, at, error, null, NEVER, false);
    }

    /** {@return the end of the claim, without the result and the retention of the job} */
    ClaimEnd ofClaim() {
        return result == null && removeAt == NEVER ? this : of(how, at, error);
    }

    Outcome outcome() {
        return switch (how) {
            case FAILED, EXPIRED -> Outcome.FAILED;
            case CANCELLED -> Outcome.CANCELLED;
            case SUCCEEDED, SNOOZED, RELEASED -> Outcome.SUCCEEDED;
        };
    }

    Tuple encode() {
        return Tuple.from(text(how), at)
                .addObject(error)
                .addObject(result == null ? null : result.element())
                .add(removeAt)
                .add(archived);
    }

    static @Nullable ClaimEnd decode(@Nullable Tuple claimEnd) {
        return claimEnd == null
                ? null
                : new ClaimEnd(
                        how(claimEnd.getString(0)),
                        claimEnd.getLong(1),
                        claimEnd.getString(2),
                        claimEnd.get(3) == null ? null : Payload.ofElement(claimEnd.get(3)),
                        claimEnd.getLong(4),
                        claimEnd.getBoolean(5));
    }

    /** {@return the stored text of an end} */
    static String text(AttemptEnd how) {
        return how == AttemptEnd.RELEASED ? RELEASED_TEXT : how.name().toLowerCase(Locale.ROOT);
    }

    static AttemptEnd how(String text) {
        return text.equals(RELEASED_TEXT) ? AttemptEnd.RELEASED : AttemptEnd.valueOf(text.toUpperCase(Locale.ROOT));
    }
}
