package dev.couchjobs;

import java.time.Duration;

/**
 * How the clock of a process stands to the clocks of others, as {@link Maintenance#clockSkew} measures it.
 *
 * <p>Processes that remove jobs note their clocks in the database whenever they look for jobs to remove, at most twice
 * a minute. A note is taken for current by the versions of the database that have gone by since, of which there are
 * about a million a second; that is exact to about a second, and after a recovery of a cluster wrong by up to two
 * minutes until the others have made their next notes.
 *
 * @param ahead how far this process's clock is ahead of the median of all clocks, its own included; negative if it is
 *     behind. Where there are two medians, as with two processes, the one that is farther away
 * @param others how many other processes have noted their clocks within the last half hour, of at most 16 notes that
 *     are kept; with none, {@code ahead} is zero and says nothing
 * @param bound from where on this process removes and archives no jobs
 */
public record ClockSkew(Duration ahead, int others, Duration bound) {

    /** {@return whether the clock is too far ahead or behind for this process to remove or archive jobs} */
    public boolean isExceeded() {
        return ahead.abs().compareTo(bound) > 0;
    }
}
