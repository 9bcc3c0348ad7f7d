package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.tuple.Versionstamp;
import org.jspecify.annotations.Nullable;

/**
 * A message as it was read.
 *
 * @param row what is stored; null if it cannot be decoded
 * @param problem why it cannot
 */
public record StoredMessage(
        Versionstamp stamp,
        @Nullable MessageRow row,
        @Nullable RuntimeException problem) {}
