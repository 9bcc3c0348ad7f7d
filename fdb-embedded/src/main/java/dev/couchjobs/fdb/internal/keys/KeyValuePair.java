package dev.couchjobs.fdb.internal.keys;

import com.apple.foundationdb.KeyValue;

/** A key and its value as the engine holds them; whatever leaves the engine is a copy. */
@SuppressWarnings("ArrayRecordComponent") // an entry is never compared or hashed
public record KeyValuePair(byte[] key, byte[] value) {
    /** FoundationDB counts its own bookkeeping for each row it returns. */
    private static final int ROW_OVERHEAD_BYTES = 8;

    public KeyValue copy() {
        return new KeyValue(key.clone(), value.clone());
    }

    public int rowBytes() {
        return key.length + value.length + ROW_OVERHEAD_BYTES;
    }
}
