package dev.couchjobs.fdb.internal.client;

import com.apple.foundationdb.KeyValue;
import java.util.List;

/**
 * What one fetch of a range read returned.
 *
 * @param more whether a limit ended it, so that there may be further rows
 */
record RangeChunk(List<KeyValue> rows, boolean more) {}
