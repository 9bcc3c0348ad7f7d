package dev.couchjobs.internal.rows;

import com.apple.foundationdb.tuple.ByteArrayUtil;
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
 * @param features the features that may be in use, each as the bit with the number of its layout
 * @param settings a random number, which is another one after each change of which types have a status index, or of a
 *     stored retention
 */
public record Layout(
        long number,
        long oldestReader,
        long oldestWriter,
        @Nullable MoveMark mark,
        long features,
        long settings) {
    /** The first layout whose row lists the features in use. */
    private static final long WITH_FEATURES = Feature.STATUS_INDEX.layout();
    /** The newest layout that this code knows. */
    private static final long KNOWN = Feature.GRAPHS.layout();

    /** The layout of an instance without the row. */
    static final Layout FIRST = new Layout(1, 1, 1, null, 0, 0);

    private static final int MARKED_SIZE = 6;
    private static final int FEATURES = 6;
    private static final int SETTINGS = 7;

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

    /** @throws IncompatibleLayoutException if the row is damaged */
    static Layout decode(byte[] key, byte @Nullable [] value) {
        if (value == null) {
            return FIRST;
        }
        try {
            return decode(Tuple.fromBytes(value));
        } catch (RuntimeException e) {
            throw IncompatibleLayoutException.undecodable(ByteArrayUtil.printable(key), KNOWN, e);
        }
    }

    private static Layout decode(Tuple row) {
        MoveMark mark = row.size() < MARKED_SIZE || row.getString(3).isEmpty()
                ? null
                : new MoveMark(row.getString(3), row.getString(4), row.getString(5));
        long number = row.getLong(0);
        long features = row.size() > FEATURES ? row.getLong(FEATURES) : upTo(number);
        long settings = row.size() > SETTINGS ? row.getLong(SETTINGS) : 0;
        long oldestReader = row.getLong(1);
        long oldestWriter = row.getLong(2);
        if (number < 1 || oldestReader < 1 || oldestWriter < 1) {
            throw new IllegalArgumentException("The first layout is 1");
        }
        return new Layout(number, oldestReader, oldestWriter, mark, features, settings);
    }

    /** {@return the features that an instance may use whose row does not list them} */
    private static long upTo(long number) {
        return (2L << Math.min(number, KNOWN)) - 4; // no feature has layout 0 or 1
    }

    byte[] encode() {
        Tuple row = Tuple.from(number, oldestReader, oldestWriter);
        boolean listsFeatures = features != upTo(number) || settings != 0;
        if (mark == null && !listsFeatures) {
            return row.pack();
        }
        Tuple marked = mark == null
                ? row.add("").add("").add("")
                : row.add(mark.move).add(mark.run).add(mark.closed);
        Tuple listing = listsFeatures ? marked.add(features) : marked;
        return (settings == 0 ? listing : listing.add(settings)).pack();
    }

    /** {@return a copy with a mark, or without one} */
    public Layout marked(@Nullable MoveMark next) {
        return new Layout(number, oldestReader, oldestWriter, next, features, settings);
    }

    /** {@return a copy that only code with a feature may write, and read unless older code may} */
    public Layout with(Feature feature) {
        if (mayUse(feature)) {
            return this;
        }
        long layout = Math.max(WITH_FEATURES, feature.layout());
        return new Layout(
                Math.max(number, layout),
                feature.isReadByOlder() ? oldestReader : Math.max(oldestReader, feature.layout()),
                Math.max(oldestWriter, layout),
                mark,
                features | feature.bit(),
                settings);
    }

    /** {@return a copy with a feature, for an instance in which the settings of types by that feature have changed} */
    public Layout withSettings(Feature feature, long random) {
        Layout used = with(feature);
        return new Layout(used.number, used.oldestReader, used.oldestWriter, mark, used.features, random);
    }

    /** {@return a copy with a feature, if that is used} */
    public Layout with(Feature feature, boolean isUsed) {
        return isUsed ? with(feature) : this;
    }

    /** {@return whether a feature may be in use that is not in another layout} */
    boolean hasMoreFeaturesThan(Layout other) {
        return (features & ~other.features) != 0;
    }

    /** {@return whether a feature may be in use} */
    public boolean mayUse(Feature feature) {
        return (features & feature.bit()) != 0;
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
