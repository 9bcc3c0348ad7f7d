package dev.couchjobs.internal.data;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.IncompatibleLayoutException;
import dev.couchjobs.JobsException;
import dev.couchjobs.OutOfServiceException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How the rows of an instance are laid out, who may still use them, and whether they are in service. An instance
 * without the row has layout 1. Elements that a later version adds behind these are passed over.
 *
 * @param number the newest layout that any row may have
 * @param oldestReader the oldest layout that code has to know so that it may read
 * @param oldestWriter the oldest layout that code has to know so that it may write
 * @param mark that the rows are being moved, or were moved, to another database
 */
public record Layout(
        long number,
        long oldestReader,
        long oldestWriter,
        @Nullable MoveMark mark) {
    /** The layout that this code writes, and the newest that it knows. */
    private static final long KNOWN = 1;

    /** What holds where nothing is said. */
    static final Layout FIRST = new Layout(1, 1, 1, null);

    private static final int MARKED_SIZE = 6;

    /**
     * What a move leaves on both its sides.
     *
     * @param move which move
     * @param run which run of that move may write the rows
     * @param closed why no other process may use them, and where to go instead; empty if they are in service
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

    /** {@return the same with a mark, or without one} */
    public Layout marked(@Nullable MoveMark next) {
        return new Layout(number, oldestReader, oldestWriter, next);
    }

    /** {@return whether that move has marked these rows} */
    public boolean isMarkedBy(String move) {
        return mark != null && mark.move.equals(move);
    }

    /** {@return whether the rows are out of service} */
    public boolean isClosed() {
        return mark != null && mark.isClosed();
    }

    /** {@return why this code may not read these rows, if it may not} */
    public Optional<JobsException> refusesReading() {
        return refusal("read", oldestReader);
    }

    /** {@return why this code may not write these rows, if it may not} */
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
