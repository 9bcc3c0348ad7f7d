package dev.couchjobs.internal.rows;

import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Versionstamp;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads elements of FoundationDB's tuple encoding one after the other, the counterpart of {@link TupleWriter}. Each
 * method throws a {@link RuntimeException} if the next element is of another kind or the bytes end within it. Not
 * thread-safe.
 */
public final class TupleReader {
    private static final int UUID_BYTES = 2 * Long.BYTES;
    private static final int FLOAT = 0x20;
    /** Of a number of more than eight bytes, whose length is in the next byte. */
    private static final int LARGE_POSITIVE = 0x1D;

    private static final int LARGE_NEGATIVE = 0x0B;

    private final byte[] bytes;
    private int at;
    private int depth;

    /** Reads a tuple. */
    public TupleReader(byte[] bytes) {
        this(bytes, 0);
    }

    /** Reads a tuple that begins behind some bytes. */
    public TupleReader(byte[] bytes, int from) {
        this.bytes = bytes;
        this.at = from;
    }

    /**
     * {@return a reader of the tuple behind a prefix}
     *
     * @throws IllegalArgumentException if the key does not begin with it
     */
    public static TupleReader below(byte[] prefix, byte[] key) {
        if (!ByteArrayUtil.startsWith(key, prefix)) {
            throw new IllegalArgumentException("The key is in another subspace");
        }
        return new TupleReader(key, prefix.length);
    }

    /** {@return whether there is another element in this tuple, or in the nested one} */
    public boolean hasNext() {
        return depth == 0 ? at < bytes.length : bytes[at] != TupleWriter.NULL || isNestedNull();
    }

    private boolean isNestedNull() {
        return at + 1 < bytes.length && bytes[at + 1] == TupleWriter.ESCAPE;
    }

    /** {@return the code of the next element} */
    public byte peek() {
        return bytes[at];
    }

    /** Passes over a null. {@return whether there was one, or the end of the tuple} */
    public boolean skipNull() {
        if (!hasNext()) {
            return true;
        }
        if (bytes[at] != TupleWriter.NULL) {
            return false;
        }
        at += depth > 0 ? 2 : 1;
        return true;
    }

    public boolean readBoolean() {
        byte code = bytes[at++];
        if (code != TupleWriter.TRUE && code != TupleWriter.FALSE) {
            throw unexpected(code, "a boolean");
        }
        return code == TupleWriter.TRUE;
    }

    public long readLong() {
        byte code = bytes[at++];
        int size = numberBytes(code);
        long value = readUnsigned(size);
        if (code < TupleWriter.INT_ZERO) {
            value = size == Long.BYTES ? value + 1 : value - ((1L << (size * Byte.SIZE)) - 1);
        }
        if (size > 0 && value < 0 != code < TupleWriter.INT_ZERO) {
            throw new IllegalArgumentException("The number does not fit into 64 bits");
        }
        return value;
    }

    private static int numberBytes(byte code) {
        int size = Math.abs(code - TupleWriter.INT_ZERO);
        if (size > Long.BYTES) {
            throw unexpected(code, "a number");
        }
        return size;
    }

    public int readInt() {
        return Math.toIntExact(readLong());
    }

    public double readDouble() {
        expect(TupleWriter.DOUBLE, "a double");
        long bits = readUnsigned(Long.BYTES);
        return Double.longBitsToDouble(bits < 0 ? bits ^ Long.MIN_VALUE : ~bits);
    }

    public UUID readUuid() {
        expect(TupleWriter.UUID_CODE, "a UUID");
        return new UUID(readUnsigned(Long.BYTES), readUnsigned(Long.BYTES));
    }

    public Versionstamp readVersionstamp() {
        expect(TupleWriter.VERSIONSTAMP, "a versionstamp");
        int end = at + Versionstamp.LENGTH;
        if (end > bytes.length) {
            throw new IllegalArgumentException("The tuple ends within a versionstamp");
        }
        Versionstamp stamp = Versionstamp.fromBytes(Arrays.copyOfRange(bytes, at, end));
        at = end;
        return stamp;
    }

    public byte[] readBytes() {
        expect(TupleWriter.BYTES, "bytes");
        return readEscaped();
    }

    public String readString() {
        expect(TupleWriter.STRING, "a text");
        int start = at;
        int end = start;
        byte letters = 0;
        while (bytes[end] != TupleWriter.NULL) {
            letters |= bytes[end++];
        }
        if (letters >= 0 && !(end + 1 < bytes.length && bytes[end + 1] == TupleWriter.ESCAPE)) {
            at = end + 1;
            return new String(bytes, start, end - start, StandardCharsets.US_ASCII);
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(readEscaped()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("The text is not UTF-8", e);
        }
    }

    public @Nullable String readNullableString() {
        return skipNull() ? null : readString();
    }

    /** Enters a nested tuple. */
    public void beginNested() {
        expect(TupleWriter.NESTED, "a nested tuple");
        depth++;
    }

    /** Leaves a nested tuple, and passes over the elements that are left in it. */
    public void endNested() {
        skipRest();
        at++;
        depth--;
    }

    /** Passes over all elements that are left in this tuple, or in the nested one. */
    public void skipRest() {
        while (hasNext()) {
            skip();
        }
    }

    private void skip() {
        byte code = bytes[at];
        switch (code) {
            case TupleWriter.NULL -> skipNull();
            case TupleWriter.BYTES, TupleWriter.STRING -> {
                at++;
                readEscaped();
            }
            case TupleWriter.NESTED -> {
                beginNested();
                endNested();
            }
            case TupleWriter.FALSE, TupleWriter.TRUE -> at++;
            case FLOAT -> pass(Float.BYTES);
            case LARGE_POSITIVE -> pass(1 + (bytes[at + 1] & 0xFF));
            case LARGE_NEGATIVE -> pass(1 + (~bytes[at + 1] & 0xFF));
            case TupleWriter.DOUBLE -> pass(Double.BYTES);
            case TupleWriter.UUID_CODE -> pass(UUID_BYTES);
            case TupleWriter.VERSIONSTAMP -> pass(Versionstamp.LENGTH);
            default -> pass(numberBytes(code));
        }
    }

    private void pass(int size) {
        at += 1 + size;
        if (at > bytes.length) {
            throw new IllegalArgumentException("The tuple ends within an element");
        }
    }

    private byte[] readEscaped() {
        int start = at;
        int zeros = 0;
        int end = start;
        while (bytes[end] != TupleWriter.NULL || (end + 1 < bytes.length && bytes[end + 1] == TupleWriter.ESCAPE)) {
            if (bytes[end] == TupleWriter.NULL) {
                zeros++;
                end++;
            }
            end++;
        }
        at = end + 1;
        if (zeros == 0) {
            return Arrays.copyOfRange(bytes, start, end);
        }
        byte[] value = new byte[end - start - zeros];
        int from = start;
        for (int i = 0; i < value.length; i++) {
            value[i] = bytes[from];
            from += bytes[from] == TupleWriter.NULL ? 2 : 1;
        }
        return value;
    }

    private long readUnsigned(int size) {
        long value = 0;
        for (int i = 0; i < size; i++) {
            value = (value << Byte.SIZE) | (bytes[at++] & 0xFF);
        }
        return value;
    }

    private void expect(byte code, String what) {
        byte found = bytes[at++];
        if (found != code) {
            throw unexpected(found, what);
        }
    }

    private static IllegalArgumentException unexpected(byte code, String what) {
        return new IllegalArgumentException("Expected " + what + ", found an element of type " + (code & 0xFF));
    }
}
