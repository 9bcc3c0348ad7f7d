package dev.couchjobs.internal.data;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.IncompatibleLayoutException;
import dev.couchjobs.JobsException;
import dev.couchjobs.OutOfServiceException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The layout of the rows of an instance: which versions of the library may use them, and whether they are in service.
 * An instance without the row has layout 1. Elements that a later version appends are ignored.
 *
 * @param number the newest layout that any row may have
 * @param oldestReader the oldest layout whose code may read the rows
 * @param oldestWriter the oldest layout whose code may write the rows
 * @param mark the mark of a move to another database, or null
 */
public record Layout(
        long number,
        long oldestReader,
        long oldestWriter,
        @Nullable MoveMark mark) {
    /** Older code would end a job of a schedule without adding the next. */
    private static final long WITH_SCHEDULES = 2;
    /** Older code would end a job without passing its slot on. */
    private static final long WITH_LIMIT_KEYS = 3;
    /** Older code would claim jobs of paused types. */
    private static final long WITH_CLAIM_RULES = 4;
    /** Older code can neither decode jobs with unique keys nor remove their rows. */
    private static final long WITH_UNIQUE_KEYS = 5;
    /** Older code can neither decode jobs with turn keys nor find them. */
    private static final long WITH_TURN_KEYS = 6;
    /** Older code can neither decode jobs in sequences nor let the next one go. */
    private static final long WITH_SEQUENCES = 7;
    /** Older code can neither decode jobs with deadlines nor count those that have expired. */
    private static final long WITH_DEADLINES = 8;
    /** Older code can neither decode jobs whose claim adds the next job of their schedule nor add that. */
    private static final long WITH_OVERLAPS = 9;
    /** Older code can neither decode jobs in batches nor count them. */
    private static final long WITH_BATCHES = 10;
    /** Older code can neither decode jobs with tags nor remove their rows. */
    private static final long WITH_TAGS = 11;
    /** The newest layout that this code knows. */
    private static final long KNOWN = WITH_TAGS;

    /** The layout of an instance without the row. */
    static final Layout FIRST = new Layout(1, 1, 1, null);

    private static final int MARKED_SIZE = 6;

    /**
     * The mark that a move writes to both databases.
     *
     * @param move the id of the move
     * @param run the run of the move that may write the rows
     * @param closed why no other process may use the rows, and which database to use instead; empty if they are in
     *     service
     */
    public record MoveMark(String move, String run, String closed) {
        /** {@return whether the rows must not be used} */
        public boolean isClosed() {
            return !closed.isEmpty();
        }
    }

    static Layout decode(byte @Nullable [] value) {
        if (value == null) {
            return FIRST;
        }
        Tuple row = Tuple.fromBytes(value);
        MoveMark mark =
                row.size() < MARKED_SIZE ? null : new MoveMark(row.getString(3), row.getString(4), row.getString(5));
        return new Layout(row.getLong(0), row.getLong(1), row.getLong(2), mark);
    }

    byte[] encode() {
        Tuple row = Tuple.from(number, oldestReader, oldestWriter);
        return (mark == null ? row : row.add(mark.move).add(mark.run).add(mark.closed)).pack();
    }

    /** {@return a copy with a mark, or without one} */
    public Layout marked(@Nullable MoveMark next) {
        return new Layout(number, oldestReader, oldestWriter, next);
    }

    /** {@return a copy that only code with schedules may write} */
    public Layout withSchedules() {
        return writtenFrom(WITH_SCHEDULES);
    }

    /** {@return a copy that only code with limit keys may write} */
    public Layout withLimitKeys() {
        return writtenFrom(WITH_LIMIT_KEYS);
    }

    /** {@return a copy that only code with claim rules may write} */
    public Layout withClaimRules() {
        return writtenFrom(WITH_CLAIM_RULES);
    }

    /** {@return a copy that only code with unique keys may read or write} */
    public Layout withUniqueKeys() {
        return usedFrom(WITH_UNIQUE_KEYS);
    }

    /** {@return a copy that only code with turn keys may read or write} */
    public Layout withTurnKeys() {
        return usedFrom(WITH_TURN_KEYS);
    }

    /** {@return a copy that only code with sequences may read or write} */
    public Layout withSequences() {
        return usedFrom(WITH_SEQUENCES);
    }

    /** {@return a copy that only code with deadlines may read or write} */
    public Layout withDeadlines() {
        return usedFrom(WITH_DEADLINES);
    }

    /** {@return a copy that only code with batches may read or write} */
    public Layout withBatches() {
        return usedFrom(WITH_BATCHES);
    }

    /** {@return a copy that only code with tags may read or write} */
    public Layout withTags() {
        return usedFrom(WITH_TAGS);
    }

    /** {@return whether a job may have a deadline} */
    public boolean mayHaveDeadlines() {
        return number >= WITH_DEADLINES;
    }

    /** {@return a copy that only code with overlapping schedules may read or write} */
    public Layout withOverlaps() {
        return usedFrom(WITH_OVERLAPS);
    }

    /** {@return whether a job may have a turn key} */
    public boolean mayHaveTurnKeys() {
        return number >= WITH_TURN_KEYS;
    }

    private Layout usedFrom(long layout) {
        Layout written = writtenFrom(layout);
        return new Layout(written.number, Math.max(oldestReader, layout), written.oldestWriter, written.mark);
    }

    /** {@return whether a type may have claim rules} */
    public boolean mayHaveClaimRules() {
        return number >= WITH_CLAIM_RULES;
    }

    private Layout writtenFrom(long layout) {
        return new Layout(Math.max(number, layout), oldestReader, Math.max(oldestWriter, layout), mark);
    }

    /** {@return whether a move has marked these rows} */
    public boolean isMarkedBy(String move) {
        return mark != null && mark.move.equals(move);
    }

    /** {@return whether the rows are out of service} */
    public boolean isClosed() {
        return mark != null && mark.isClosed();
    }

    /** {@return the error of a read, if this code may not read these rows} */
    public Optional<JobsException> refusesReading() {
        return refusal("read", oldestReader);
    }

    /** {@return the error of a write, if this code may not write these rows} */
    public Optional<JobsException> refusesWriting() {
        return refusal("written", Math.max(oldestReader, oldestWriter));
    }

    private Optional<JobsException> refusal(String how, long oldest) {
        if (mark != null && mark.isClosed()) {
            return Optional.of(new OutOfServiceException(mark.closed));
        }
        return oldest > KNOWN
                ? Optional.of(new IncompatibleLayoutException(number, oldest, KNOWN, how))
                : Optional.empty();
    }
}
