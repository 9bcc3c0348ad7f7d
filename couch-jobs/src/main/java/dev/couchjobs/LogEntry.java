package dev.couchjobs;

import java.time.Instant;

/**
 * An entry of a job's log, from {@link JobDetails#entries}. Immutable.
 *
 * <p>The entries of a job are numbered from 1 without a gap, in the order in which their transactions committed. All
 * attempts at a job write one log.
 */
public interface LogEntry {
    /** What an entry was written as. */
    enum Kind {
        /** Something to be read. */
        LOG,
        /** Where the next attempt may go on from. */
        CHECKPOINT
    }

    /** {@return its number, from 1} */
    long number();

    /** {@return the number of the claim that wrote it} */
    long claim();

    /** {@return when it was written, by the clock of who wrote it} */
    Instant at();

    /** {@return what it was written as} */
    Kind kind();

    /** {@return what was written, as JSON} */
    String json();

    /**
     * What was written.
     *
     * @param type the class that it was written as, or one that reads the same JSON
     * @param <T> that class
     * @return the value
     * @throws PayloadException if it cannot be read so
     */
    <T> T as(Class<T> type);
}
