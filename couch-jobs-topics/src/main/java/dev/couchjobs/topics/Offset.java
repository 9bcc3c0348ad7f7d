package dev.couchjobs.topics;

import com.apple.foundationdb.tuple.Versionstamp;
import java.util.HexFormat;

/**
 * The place of a message in its partition: the versionstamp of the commit that appended it, and its number within that
 * commit. Later messages have greater offsets. Offsets are not consecutive. Immutable.
 *
 * @param versionstamp a complete versionstamp
 */
public record Offset(Versionstamp versionstamp) implements Comparable<Offset> {
    private static final HexFormat HEX = HexFormat.of();

    /**
     * Checks the versionstamp.
     *
     * @param versionstamp see above
     * @throws IllegalArgumentException if it is incomplete
     */
    public Offset {
        if (!versionstamp.isComplete()) {
            throw new IllegalArgumentException(
                    "This versionstamp is incomplete: its commit is still to come. An offset is that of a message.");
        }
    }

    /**
     * Reads an offset from text.
     *
     * @param text 24 hexadecimal digits, as {@link #toString} writes them
     * @return the offset
     * @throws IllegalArgumentException if the text is another
     */
    public static Offset parse(String text) {
        if (text.length() != 2 * Versionstamp.LENGTH) {
            throw unreadable(text);
        }
        try {
            return new Offset(Versionstamp.fromBytes(HEX.parseHex(text)));
        } catch (IllegalArgumentException e) {
            throw unreadable(text);
        }
    }

    private static IllegalArgumentException unreadable(String text) {
        String start = text.length() > 40 ? text.substring(0, 40) + "..." : text;
        return new IllegalArgumentException("An offset has " + 2 * Versionstamp.LENGTH
                + " hexadecimal digits; this is none: \"" + start + "\". Pass one that a message said.");
    }

    @Override
    public int compareTo(Offset other) {
        return versionstamp.compareTo(other.versionstamp);
    }

    /** {@return 24 hexadecimal digits, in the order of the offsets} */
    @Override
    public String toString() {
        return HEX.formatHex(versionstamp.getBytes());
    }
}
