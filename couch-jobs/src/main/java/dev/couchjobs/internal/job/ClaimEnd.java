package dev.couchjobs.internal.job;

import dev.couchjobs.AttemptEnd;
import dev.couchjobs.Outcome;
import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TupleWriter;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The end of the last claim on a job, and the result and retention if the job ended with it.
 *
 * @param how how the claim ended; that of a job that {@code isLate} is CANCELLED
 * @param isLate whether the job ended because it had not begun by its deadline
 * @param at when, in milliseconds since the epoch, by the clock of the process that ended it
 * @param error the error text, bounded in size
 * @param result the result of the job, or null
 * @param removeAt when an ended job is removed, in seconds since the epoch; {@link #NEVER} or {@link #AT_ONCE}
 * @param archived whether the job is removed only after an archive has accepted it
 */
public record ClaimEnd(
        AttemptEnd how,
        boolean isLate,
        long at,
        @Nullable String error,
        @Nullable Payload result,
        long removeAt,
        boolean archived) {
    /** The retention does not remove the job. */
    public static final long NEVER = 0;
    /** The end of the job removes it. */
    public static final long AT_ONCE = -1;
    /** The stored text of the end of a job that had not begun by its deadline. */
    private static final String LATE_TEXT = "late";
    /** The stored text of {@link AttemptEnd#RELEASED}. */
    private static final String RELEASED_TEXT = "handed_back";

    private static final Map<AttemptEnd, String> TEXTS = Stream.of(AttemptEnd.values())
            .collect(Collectors.toMap(
                    how -> how,
                    how -> how == AttemptEnd.RELEASED
                            ? RELEASED_TEXT
                            : how.name().toLowerCase(Locale.ROOT)));
    private static final Map<String, AttemptEnd> ENDS =
            TEXTS.entrySet().stream().collect(Collectors.toMap(Map.Entry::getValue, Map.Entry::getKey));

    /** {@return the end of a claim without the end of its job} */
    public static ClaimEnd of(AttemptEnd how, long at, @Nullable String error) {
        return new ClaimEnd(how, false, at, error, null, NEVER, false);
    }

    /** {@return the end of the claim, without the result and the retention of the job} */
    ClaimEnd ofClaim() {
        return result == null && removeAt == NEVER ? this : of(how, at, error);
    }

    public Outcome outcome() {
        return switch (how) {
            case FAILED, EXPIRED -> Outcome.FAILED;
            case CANCELLED -> isLate ? Outcome.EXPIRED : Outcome.CANCELLED;
            case SUCCEEDED, SNOOZED, RELEASED -> Outcome.SUCCEEDED;
        };
    }

    /** Adds this as a nested tuple. */
    void encode(TupleWriter row) {
        row.beginNested().add(isLate ? LATE_TEXT : text(how)).add(at).addNullable(error);
        if (result == null) {
            row.addNull();
        } else {
            result.encode(row);
        }
        row.add(removeAt).add(archived).endNested(false);
    }

    static @Nullable ClaimEnd decode(TupleReader row) {
        if (row.skipNull()) {
            return null;
        }
        row.beginNested();
        String how = row.readString();
        boolean isLate = how.equals(LATE_TEXT);
        ClaimEnd claimEnd = new ClaimEnd(
                isLate ? AttemptEnd.CANCELLED : how(how),
                isLate,
                row.readLong(),
                row.readNullableString(),
                row.skipNull() ? null : Payload.decode(row),
                row.readLong(),
                row.readBoolean());
        row.endNested();
        return claimEnd;
    }

    /** {@return the stored text of an end} */
    public static String text(AttemptEnd how) {
        return Objects.requireNonNull(TEXTS.get(how));
    }

    public static AttemptEnd how(String text) {
        AttemptEnd how = ENDS.get(text);
        if (how == null) {
            throw new IllegalArgumentException("No claim ends by " + text);
        }
        return how;
    }
}
