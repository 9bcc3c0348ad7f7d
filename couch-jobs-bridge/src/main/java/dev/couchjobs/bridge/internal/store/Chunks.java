package dev.couchjobs.bridge.internal.store;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Values that may be larger than 100,000 bytes, FoundationDB's limit. */
public final class Chunks {
    private static final int CHUNK_BYTES = 90_000;

    private Chunks() {}

    /** Writes a value in place of another. */
    public static void write(Transaction tx, Subspace place, byte[] bytes) {
        tx.clear(place.range());
        for (int chunk = 0; chunk * CHUNK_BYTES < bytes.length; chunk++) {
            int from = chunk * CHUNK_BYTES;
            tx.set(place.pack(chunk), Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + CHUNK_BYTES)));
        }
    }

    /** {@return a value, if it is there} */
    public static CompletableFuture<Optional<byte[]>> read(ReadTransaction tx, Subspace place) {
        return tx.getRange(place.range()).asList().thenApply(rows -> {
            if (rows.isEmpty()) {
                return Optional.empty();
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (KeyValue row : rows) {
                all.writeBytes(row.getValue());
            }
            return Optional.of(all.toByteArray());
        });
    }
}
