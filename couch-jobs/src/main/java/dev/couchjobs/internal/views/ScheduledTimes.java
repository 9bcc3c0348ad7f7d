package dev.couchjobs.internal.views;

import java.time.Instant;
import java.util.Optional;

/** RFC 007's ScheduledTime: whole seconds since the epoch, 0 for none. */
public final class ScheduledTimes {
    /** No scheduled time: the job may run at once. */
    public static final long NONE = 0;

    /** The last second that an {@link Instant} represents; a later time means never. */
    private static final long LAST = Instant.MAX.getEpochSecond();

    private ScheduledTimes() {}

    /** {@return the first whole second that is not before it, so that no job runs early} */
    public static long toSeconds(Instant time) {
        if (time.isBefore(Instant.EPOCH)) {
            throw new IllegalArgumentException("A scheduled time cannot be before 1970; this is " + time + ".");
        }
        long seconds = time.getNano() == 0 ? time.getEpochSecond() : time.getEpochSecond() + 1;
        return Math.min(seconds, LAST);
    }

    /** {@return the time, or empty for none} */
    public static Optional<Instant> toInstant(long seconds) {
        return seconds == NONE ? Optional.empty() : Optional.of(Instant.ofEpochSecond(seconds));
    }
}
