package dev.couchjobs.fdb.internal.client;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.StreamingMode;
import dev.couchjobs.fdb.internal.keys.Bytes;

/**
 * One fetch of a range read.
 *
 * @param rowLimit most rows to return, 0 for any number
 * @param byteLimit size after which to stop, 0 for none; at least one row is returned nevertheless
 */
record RangeRequest(
        ReadView.Selection begin,
        ReadView.Selection end,
        int rowLimit,
        int byteLimit,
        boolean snapshot,
        boolean reverse) {
    private static final int SMALL_BYTES = 256;
    private static final int MEDIUM_BYTES = 1_000;
    private static final int LARGE_BYTES = 4_096;
    private static final int SERIAL_BYTES = 80_000;
    private static final int LARGEST_BYTES = 120_000;
    /** Steps in which an iterator's fetches grow by half each from {@link #LARGE_BYTES}. */
    private static final int GROWTH_STEPS = 8;

    /** {@code fetch} counts the fetches of one iteration from 1: each may be larger than the one before. */
    static RangeRequest of(
            KeySelector begin,
            KeySelector end,
            int rowLimit,
            StreamingMode mode,
            int fetch,
            boolean snapshot,
            boolean reverse) {
        int bytes = mode == StreamingMode.ITERATOR ? iteratorBytes(fetch) : modeBytes(mode);
        return new RangeRequest(
                ReadView.Selection.of(begin), ReadView.Selection.of(end), rowLimit, bytes, snapshot, reverse);
    }

    /** Whether the range is empty whatever the database holds. */
    boolean isInverted() {
        return begin.offset() >= end.offset() && !Bytes.less(begin.base(), end.base());
    }

    /** Whether keys have to be counted to find the bounds. */
    boolean hasOffsets() {
        return begin.offset() != 1 || end.offset() != 1;
    }

    boolean basesAreSwapped() {
        return Bytes.less(end.base(), begin.base());
    }

    private static int modeBytes(StreamingMode mode) {
        return switch (mode) {
            case EXACT -> 0;
            case SMALL -> SMALL_BYTES;
            case MEDIUM -> MEDIUM_BYTES;
            case LARGE -> LARGE_BYTES;
            case WANT_ALL, SERIAL, ITERATOR -> SERIAL_BYTES;
        };
    }

    private static int iteratorBytes(int fetch) {
        if (fetch > GROWTH_STEPS + 1) {
            return LARGEST_BYTES;
        }
        int bytes = LARGE_BYTES;
        for (int step = 1; step < fetch; step++) {
            bytes += bytes / 2;
        }
        return Math.min(bytes, SERIAL_BYTES);
    }
}
