package dev.couchjobs.internal.queue;

import java.util.OptionalLong;

/**
 * Which jobs of the queues a claim wants.
 *
 * @param noSchedule whether only jobs without a scheduled time, from a random position in the queue
 * @param maxScheduledTime the latest scheduled time, in seconds; empty for the present time
 * @param lowPriorityShare the part of the claims that goes to the priorities in rotation
 */
public record Wanted(boolean noSchedule, OptionalLong maxScheduledTime, double lowPriorityShare) {

    /** The latest scheduled time to claim at the present time {@code now}, in seconds since the epoch. */
    public long latest(long now) {
        return noSchedule ? 0 : maxScheduledTime.orElse(now);
    }

    /** Whether a scheduled job is wanted once its time has passed. */
    public boolean followsClock() {
        return !noSchedule && maxScheduledTime.isEmpty();
    }
}
