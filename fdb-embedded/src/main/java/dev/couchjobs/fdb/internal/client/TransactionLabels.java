package dev.couchjobs.fdb.internal.client;

import dev.couchjobs.fdb.internal.common.FdbError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names by which the operators of a cluster know a transaction. Nothing reads them in process; they are checked, so
 * that a program that runs here runs on a cluster. Not thread-safe.
 */
final class TransactionLabels {
    private static final int TAGS_MAX = 5;
    /** What the client of FoundationDB 7.3 refuses; its documentation allows 16. */
    private static final int TAG_BYTES_MAX = 255;

    private static final int IDENTIFIER_BYTES_MAX = 100;

    private final List<byte[]> tags = new ArrayList<>();
    private byte @Nullable [] identifier;

    void tag(byte @Nullable [] tag) {
        byte[] tagBytes = present(tag);
        if (tagBytes.length > TAG_BYTES_MAX) {
            throw FdbError.TAG_TOO_LONG.exception(tagBytes.length + " bytes");
        }
        if (tags.size() == TAGS_MAX) {
            throw FdbError.TOO_MANY_TAGS.exception();
        }
        if (tags.stream().noneMatch(existing -> Arrays.equals(existing, tagBytes))) {
            tags.add(tagBytes);
        }
    }

    void identify(byte @Nullable [] name) {
        byte[] nameBytes = present(name);
        if (nameBytes.length == 0 || nameBytes.length > IDENTIFIER_BYTES_MAX) {
            throw FdbError.INVALID_OPTION_VALUE.exception("an identifier has 1 to " + IDENTIFIER_BYTES_MAX + " bytes");
        }
        if (identifier != null && !Arrays.equals(identifier, nameBytes)) {
            throw FdbError.CLIENT_INVALID_OPERATION.exception("a transaction has one identifier");
        }
        identifier = nameBytes;
    }

    void requireIdentified() {
        if (identifier == null) {
            throw FdbError.CLIENT_INVALID_OPERATION.exception("a transaction is identified before it is logged");
        }
    }

    private static byte[] present(byte @Nullable [] value) {
        if (value == null) {
            throw FdbError.INVALID_OPTION_VALUE.exception("a text is expected");
        }
        return value;
    }
}
