package dev.couchjobs.server.internal.feed;

import com.apple.foundationdb.tuple.Versionstamp;
import java.util.HexFormat;

/** Sequences as clients see them: 24 hexadecimal digits, which sort as the sequences do. */
final class Sequences {
    private Sequences() {}

    static String format(Versionstamp sequence) {
        return HexFormat.of().formatHex(sequence.getBytes());
    }

    /** {@return the sequence that a text stands for, which the document has checked} */
    static Versionstamp parse(String text) {
        return Versionstamp.fromBytes(HexFormat.of().parseHex(text));
    }
}
