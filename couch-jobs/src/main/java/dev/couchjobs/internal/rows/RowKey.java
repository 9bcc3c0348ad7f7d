package dev.couchjobs.internal.rows;

import com.apple.foundationdb.Range;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The key of a row, compared by its bytes. */
public final class RowKey {
    private final byte[] bytes;
    private final int hash;

    public RowKey(byte[] bytes) {
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
    }

    public byte[] bytes() {
        return bytes;
    }

    boolean isWithin(Range range) {
        return Arrays.compareUnsigned(range.begin, bytes) <= 0 && Arrays.compareUnsigned(bytes, range.end) < 0;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RowKey that && hash == that.hash && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
