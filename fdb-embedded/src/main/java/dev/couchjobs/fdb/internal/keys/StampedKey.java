package dev.couchjobs.fdb.internal.keys;

import org.jspecify.annotations.Nullable;

/** A value that waits for the key that the commit's stamp will give it. */
public final class StampedKey {
    private final StampTemplate template;
    private final byte[] value;
    private final KeyRange possibleKeys;
    /** What the transaction cleared after this write, so that a key that falls into it is not written at all. */
    private final RangeSet clearedLater = new RangeSet();

    private byte @Nullable [] filled;
    private @Nullable CommitStamp filledWith;

    public StampedKey(StampTemplate template, byte[] value, KeyRange possibleKeys) {
        this.template = template;
        this.value = value;
        this.possibleKeys = possibleKeys;
    }

    public KeyRange possibleKeys() {
        return possibleKeys;
    }

    public void clear(byte[] begin, byte[] end) {
        clearedLater.add(begin, end);
    }

    /** Returns the same array for the same stamp, so that all that retain the key share it. */
    public byte[] key(CommitStamp stamp) {
        if (filled == null || !stamp.equals(filledWith)) {
            filled = template.filled(stamp);
            filledWith = stamp;
        }
        return filled;
    }

    public byte[] value() {
        return value;
    }

    public boolean survives(byte[] key) {
        return !clearedLater.contains(key);
    }

    public long bytes() {
        return (long) template.bytes().length + value.length;
    }
}
