package dev.couchjobs.fdb.model;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The database as one commit left it. */
record Version(long number, ModelRows rows, List<ModelKeyRange> written) {

    /** The stamp before all others. */
    static final String NONE = "\0".repeat(Write.STAMP_LENGTH);

    /** Far from zero, so that a stamp is not mistaken for anything else. */
    private static final long FIRST = 0x1234_5678_9abcL;

    private static final long STEP = 1_000;

    static Version first() {
        return new Version(FIRST, new ModelRows(Map.of()), List.of());
    }

    Version next() {
        return new Version(number + STEP, rows.copy(), new ArrayList<>());
    }

    String stamp() {
        return Text.of(ByteBuffer.allocate(Write.STAMP_LENGTH).putLong(number).array());
    }
}
