package dev.couchjobs.internal.data;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A job's data as JSON: inside of the job's row while it is small, else in chunks under keys of their own, so that a
 * heartbeat, which rewrites the row, does not rewrite it. FoundationDB allows 100,000 bytes in one value.
 */
public final class Payload {
    static final int INLINE_BYTES_MAX = 8_192;
    private static final int CHUNK_BYTES = 90_000;

    private final byte @Nullable [] json;
    private final int chunks;

    private Payload(byte @Nullable [] json, int chunks) {
        this.json = json;
        this.chunks = chunks;
    }

    /** {@return a payload that is stored with the next save of its row} */
    public static Payload of(byte[] json) {
        return new Payload(json, json.length <= INLINE_BYTES_MAX ? 0 : (json.length + CHUNK_BYTES - 1) / CHUNK_BYTES);
    }

    /** What the row's fifth element says: the JSON itself, or the number of its chunks. */
    static Payload ofElement(Object element) {
        return element instanceof byte[] json
                ? new Payload(json, 0)
                : new Payload(null, Math.toIntExact((Long) element));
    }

    Object element() {
        return chunks == 0 ? inline() : (Object) (long) chunks;
    }

    /** {@return the JSON} */
    public CompletableFuture<byte[]> load(ReadTransaction tx, JobRef ref) {
        return loadFrom(tx, ref.keys().payload(ref.id()));
    }

    /** {@return the JSON, if this is a job's result} */
    public CompletableFuture<byte[]> loadResult(ReadTransaction tx, JobRef ref) {
        return loadFrom(tx, ref.keys().result(ref.id()));
    }

    /** {@return how large the JSON is, at most} */
    public int bytesAtMost() {
        return json != null ? json.length : chunks * CHUNK_BYTES;
    }

    /** {@return the JSON, of which the chunks are there} */
    private CompletableFuture<byte[]> loadFrom(ReadTransaction tx, Subspace place) {
        return json != null
                ? CompletableFuture.completedFuture(json)
                : tx.getRange(place.range()).asList().thenApply(Payload::joined);
    }

    /** {@return the JSON, if it need not be loaded} */
    public Optional<byte[]> known() {
        return Optional.ofNullable(json);
    }

    /** {@return how long the JSON is, which has to be known} */
    public int bytes() {
        return inline().length;
    }

    /** {@return whether this payload holds the same JSON as one that is known; loaded only if it has as many chunks} */
    public CompletableFuture<Boolean> holds(ReadTransaction tx, JobRef ref, Payload known) {
        return chunks != known.chunks
                ? CompletableFuture.completedFuture(false)
                : load(tx, ref).thenApply(stored -> Arrays.equals(stored, known.inline()));
    }

    /** {@return whether this payload is known to hold exactly that; false if it would have to be loaded} */
    public boolean isKnownToEqual(byte[] json) {
        return this.json != null && Arrays.equals(this.json, json);
    }

    /** Writes the chunks of {@code after} in the place of those of {@code before}. */
    static void replace(Transaction tx, Supplier<Subspace> where, @Nullable Payload before, @Nullable Payload after) {
        if (before == after || (chunks(before) == 0 && chunks(after) == 0)) {
            return; // as nearly always: where the chunks would be need not even be worked out
        }
        Subspace place = where.get();
        if (before == null || chunks(before) > 0) { // chunks of a job whose row is in quarantine may be there
            tx.clear(place.range());
        }
        if (after != null) {
            for (int chunk = 0; chunk < after.chunks; chunk++) {
                tx.set(place.pack(chunk), after.chunk(chunk));
            }
        }
    }

    private static int chunks(@Nullable Payload payload) {
        return payload == null ? 0 : payload.chunks;
    }

    private byte[] chunk(int chunk) {
        byte[] all = inline();
        int from = chunk * CHUNK_BYTES;
        return Arrays.copyOfRange(all, from, Math.min(all.length, from + CHUNK_BYTES));
    }

    private byte[] inline() {
        if (json == null) {
            throw new IllegalStateException("A payload that was not loaded cannot be looked into.");
        }
        return json;
    }

    private static byte[] joined(List<KeyValue> rows) {
        List<byte[]> parts = new ArrayList<>(rows.size());
        rows.forEach(row -> parts.add(row.getValue()));
        return ByteArrayUtil.join(new byte[0], parts);
    }
}
