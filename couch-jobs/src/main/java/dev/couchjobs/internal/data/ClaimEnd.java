package dev.couchjobs.internal.data;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.Outcome;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How the last claim on a job ended, and if the job ended with it, what came of it.
 *
 * @param how how the claim ended
 * @param at when, in milliseconds since the epoch, by the clock of the process that ended it
 * @param error what went wrong, bounded in size
 * @param result what came of it, or null
 * @param removeAt when an ended job is to be removed, in seconds since the epoch; {@link #NEVER} or {@link #AT_ONCE}
 * @param archived whether it is to be removed only once an archive has taken it
 */
public record ClaimEnd(
        AttemptEnd how,
        long at,
        @Nullable String error,
        @Nullable Payload result,
        long removeAt,
        boolean archived) {
    /** The job stays until it is removed. */
    public static final long NEVER = 0;
    /** Nothing of the job outlives its end. */
    public static final long AT_ONCE = -1;
    /** The stored text of {@link AttemptEnd#RELEASED}. */
    private static final String RELEASED_TEXT = "handed_back";

    /** {@return an end of a claim that is not the end of its job} */
    public static ClaimEnd of(AttemptEnd how, long at, @Nullable String error) {
        return new ClaimEnd(how, at, error, null, NEVER, false);
    }

    /** The end of a claim alone: what is no longer of interest once the job is enqueued again. */
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

    static @Nullable ClaimEnd decode(@Nullable Tuple ending) {
        return ending == null
                ? null
                : new ClaimEnd(
                        how(ending.getString(0)),
                        ending.getLong(1),
                        ending.getString(2),
                        ending.get(3) == null ? null : Payload.ofElement(ending.get(3)),
                        ending.getLong(4),
                        ending.getBoolean(5));
    }

    /** How a claim ended, as it is stored. */
    static String text(AttemptEnd how) {
        return how == AttemptEnd.RELEASED ? RELEASED_TEXT : how.name().toLowerCase(Locale.ROOT);
    }

    static AttemptEnd how(String text) {
        return text.equals(RELEASED_TEXT) ? AttemptEnd.RELEASED : AttemptEnd.valueOf(text.toUpperCase(Locale.ROOT));
    }
}
