package dev.couchjobs.internal.move;

import com.apple.foundationdb.KeyValue;
import dev.couchjobs.MoveTotals;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** Counts rows and digests them in order; lengths are digested too, so that no two lists of rows read alike. */
final class RowDigest {
    private final MessageDigest sha256;
    private long rows;
    private long bytes;

    RowDigest() {
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("Every Java has SHA-256", e);
        }
    }

    void add(List<KeyValue> page) {
        for (KeyValue row : page) {
            add(row.getKey());
            add(row.getValue());
        }
        rows += page.size();
    }

    private void add(byte[] part) {
        sha256.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, part.length));
        sha256.update(part);
        bytes += part.length;
    }

    long rows() {
        return rows;
    }

    MoveTotals totals() {
        return new MoveTotals(rows, bytes, HexFormat.of().formatHex(sha256.digest()));
    }
}
