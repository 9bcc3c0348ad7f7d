package dev.couchjobs.internal.job;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TupleWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A job's data as JSON, which may be encrypted: in the job's row if it is small, else in chunks under separate keys, so
 * that a heartbeat, which rewrites the row, does not rewrite the data. FoundationDB limits a value to 100,000 bytes.
 */
public final class Payload {
    /**
     * The row of a job that runs once is written three times. Beyond this size, two writes more of the data cost more
     * than a key of its own, and on a cluster the further trip of its claim.
     */
    static final int INLINE_BYTES_MAX = 4_096;

    private static final int CHUNK_BYTES = 90_000;

    private final byte @Nullable [] json;
    private final int chunks;
    private final @Nullable Predicate<byte[]> sameness;
    private final boolean isReplacing;
    /** The payload whose chunks are those of this one: itself, or the one that it was before a claim. */
    private final Payload stored;

    private Payload(byte @Nullable [] json, int chunks, @Nullable Predicate<byte[]> sameness) {
        this.json = json;
        this.chunks = chunks;
        this.sameness = sameness;
        this.isReplacing = false;
        this.stored = this;
    }

    private Payload(Payload source, boolean isReplacing) {
        this.json = source.json;
        this.chunks = source.chunks;
        this.sameness = source.sameness;
        this.isReplacing = isReplacing;
        this.stored = source.stored;
    }

    /** {@return this payload as that of the next run of a running job, whose holder writes no other in its place} */
    public Payload replacing() {
        return isReplacing ? this : new Payload(this, true);
    }

    /** {@return this payload as that of the run that begins} */
    Payload claimed() {
        return isReplacing ? new Payload(this, false) : this;
    }

    /** {@return whether this is the payload of the next run of a running job} */
    public boolean isReplacing() {
        return isReplacing;
    }

    /** {@return a payload that the next write of its row stores} */
    public static Payload of(byte[] json) {
        return of(json, null);
    }

    /**
     * {@return a payload that the next write of its row stores}
     *
     * @param sameness says whether a stored payload is the same, if it may have other bytes
     */
    public static Payload of(byte[] json, @Nullable Predicate<byte[]> sameness) {
        return new Payload(json, json.length <= INLINE_BYTES_MAX ? 0 : chunksOf(json.length), sameness);
    }

    /** Reads an element of a row: the JSON itself, or the number of its chunks; nested if it is for the next run. */
    static Payload decode(TupleReader row) {
        if (row.peek() != TupleWriter.NESTED) {
            return decodeFlat(row);
        }
        row.beginNested();
        Payload payload = decodeFlat(row).replacing();
        row.endNested();
        return payload;
    }

    private static Payload decodeFlat(TupleReader row) {
        return row.peek() == TupleWriter.BYTES
                ? new Payload(row.readBytes(), 0, null)
                : new Payload(null, row.readInt(), null);
    }

    /** Adds the element that {@link #decode} reads. */
    void encode(TupleWriter row) {
        if (isReplacing) {
            row.beginNested();
        }
        if (chunks == 0) {
            row.add(inline());
        } else {
            row.add(chunks);
        }
        if (isReplacing) {
            row.endNested(false);
        }
    }

    /** How many bytes of the JSON are in the row. */
    int inlineBytes() {
        return chunks == 0 ? inline().length : 0;
    }

    /** {@return the JSON} */
    public CompletableFuture<byte[]> load(ReadTransaction tx, JobRef ref) {
        return loadFrom(tx, () -> dataChunks(ref));
    }

    /** {@return where the chunks of a job's data are} */
    public static Subspace dataChunks(JobRef ref) {
        return ref.keys().table("payload").get(ref.id());
    }

    /** {@return where the chunks of a job's result are} */
    public static Subspace resultChunks(JobRef ref) {
        return ref.keys().table("result").get(ref.id());
    }

    /** {@return the JSON of a job's result} */
    public CompletableFuture<byte[]> loadResult(ReadTransaction tx, JobRef ref) {
        return loadFrom(tx, () -> resultChunks(ref));
    }

    /** {@return an upper bound of the size of the JSON} */
    public int bytesAtMost() {
        return json != null ? json.length : chunks * CHUNK_BYTES;
    }

    /** {@return the JSON, read from its chunks if necessary} */
    private CompletableFuture<byte[]> loadFrom(ReadTransaction tx, Supplier<Subspace> where) {
        return json != null
                ? CompletableFuture.completedFuture(json)
                : tx.getRange(where.get().range()).asList().thenApply(Payload::joined);
    }

    /** {@return the JSON, if it is in memory} */
    public Optional<byte[]> known() {
        return Optional.ofNullable(json);
    }

    /** {@return the size of the JSON, which has to be in memory} */
    public int bytes() {
        return inline().length;
    }

    /** {@return whether this payload has the same JSON as another in memory; reads only an equal number of chunks} */
    public CompletableFuture<Boolean> holds(ReadTransaction tx, JobRef ref, Payload other) {
        return chunks != other.chunks
                ? CompletableFuture.completedFuture(false)
                : load(tx, ref).thenApply(other::isStoredAs);
    }

    /** {@return whether this is the payload of the next run, and has the same JSON as another in memory} */
    public CompletableFuture<Boolean> holdsReplacement(ReadTransaction tx, JobRef ref, Payload other) {
        return isReplacing ? holds(tx, ref, other) : CompletableFuture.completedFuture(false);
    }

    /** {@return whether this payload is in memory and has the same JSON as another in memory} */
    public boolean isKnownToHold(Payload other) {
        return json != null && other.isStoredAs(json);
    }

    private boolean isStoredAs(byte[] stored) {
        return sameness == null ? Arrays.equals(stored, inline()) : sameness.test(stored);
    }

    /** Replaces the chunks of {@code before} by those of {@code after}. */
    public static void replace(
            Transaction tx, Supplier<Subspace> where, @Nullable Payload before, @Nullable Payload after) {
        boolean isSame = before == after || (before != null && after != null && before.stored == after.stored);
        if (isSame || (chunks(before) == 0 && chunks(after) == 0)) {
            return; // the usual case: does not compute the keys of the chunks
        }
        Subspace place = where.get();
        if (before == null || chunks(before) > 0) { // there may be chunks of a job whose row is in quarantine
            tx.clear(place.range());
        }
        if (after != null) {
            after.writeChunks(tx, place, after.chunks);
        }
    }

    /** Removes the chunks of the data and the result of a job whose row cannot be decoded. */
    public static void clear(Transaction tx, JobRef ref) {
        tx.clear(dataChunks(ref).range());
        tx.clear(resultChunks(ref).range());
    }

    /** Replaces the rows of a subspace by this payload in chunks, however small it is. */
    public void writeTo(Transaction tx, Subspace place) {
        tx.clear(place.range());
        writeChunks(tx, place, chunksOf(bytes()));
    }

    /** {@return the payload that {@link #writeTo} has written to a subspace} */
    public static CompletableFuture<Payload> readFrom(ReadTransaction tx, Subspace place) {
        return tx.getRange(place.range()).asList().thenApply(rows -> of(joined(rows)));
    }

    private void writeChunks(Transaction tx, Subspace place, int count) {
        for (int chunk = 0; chunk < count; chunk++) {
            tx.set(place.pack(chunk), chunk(chunk));
        }
    }

    private static int chunksOf(int bytes) {
        return (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
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
            throw new IllegalStateException("A payload that was not loaded cannot be read.");
        }
        return json;
    }

    private static byte[] joined(List<KeyValue> rows) {
        List<byte[]> parts = new ArrayList<>(rows.size());
        rows.forEach(row -> parts.add(row.getValue()));
        return ByteArrayUtil.join(new byte[0], parts);
    }
}
