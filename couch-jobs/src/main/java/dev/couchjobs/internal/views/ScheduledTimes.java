package dev.couchjobs.internal.views;

import java.time.Instant;
import java.util.Optional;

/** RFC 007's ScheduledTime: whole seconds since the epoch, 0 for none. */
public final class ScheduledTimes {
    /** No scheduled time: the job may run at once. */
    public static final long NONE = 0;

    /** The last time that a caller may give: text of every language has it in four digits of a year. */
    public static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

    /** The last second that an {@link Instant} represents: a time of the library's own is no later. */
    private static final long NEVER = Instant.MAX.getEpochSecond();

    private ScheduledTimes() {}

    /**
     * {@return a time that a caller gives, as {@link #toSeconds}}
     *
     * @param what the beginning of the message, such as "A job is scheduled"
     * @throws IllegalArgumentException if it is before 1970, or would be stored as one after 9999
     */
    public static long given(String what, Instant time) {
        if (time.isBefore(Instant.EPOCH) || time.isAfter(LAST)) {
            throw new IllegalArgumentException(what + " from 1970 to 9999, that is until " + LAST + "; this is " + time
                    + ". Give a time between them.");
        }
        return toSeconds(time);
    }

    /** {@return the first whole second that is not before it, so that no job runs early} */
    public static long toSeconds(Instant time) {
        long seconds = time.getNano() == 0 ? time.getEpochSecond() : time.getEpochSecond() + 1;
        return Math.max(NONE, Math.min(seconds, NEVER));
    }

    /** {@return the time, or empty for none} */
    public static Optional<Instant> toInstant(long seconds) {
        return seconds == NONE ? Optional.empty() : Optional.of(Instant.ofEpochSecond(seconds));
    }
}
