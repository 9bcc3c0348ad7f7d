package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.tuple.Tuple;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The first row of a message as versions before 1.0 have written it. */
final class TupleRow {
    /** How a tuple begins whose first element is a number of one byte. */
    static final byte CODE = 0x15;

    private static final long FORMAT = 1;

    private TupleRow() {}

    /** Fails with an {@link IllegalArgumentException} if the row is damaged, or of another version. */
    static FirstRow decode(byte[] bytes) {
        try {
            return decode(Tuple.fromBytes(bytes));
        } catch (RuntimeException e) { // Tuple throws several
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static FirstRow decode(Tuple row) {
        if (row.getLong(0) != FORMAT) {
            throw new IllegalArgumentException("written by another version, in format " + row.getLong(0));
        }
        Map<String, String> headers = new LinkedHashMap<>();
        List<?> flat = row.getNestedList(4);
        for (int i = 0; i < flat.size(); i += 2) {
            headers.put((String) flat.get(i), (String) flat.get(i + 1));
        }
        Instant appendedAt = Instant.ofEpochMilli(row.getLong(2));
        int bytesInChunks = (int) row.getLong(5);
        MessageRow message = new MessageRow(row.getLong(1), appendedAt, row.getString(3), headers, row.getBytes(6));
        return new FirstRow(message, bytesInChunks);
    }
}
