package dev.couchjobs.fdb.internal.keys;

/** A value that waits for the key that the commit's stamp will give it. */
public final class StampedKey {
    private final StampTemplate template;
    private final byte[] value;
    private final KeyRange possibleKeys;
    /** What the transaction cleared after this write, so that a key that falls into it is not written at all. */
    private final RangeSet clearedLater = new RangeSet();

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

    public byte[] key(CommitStamp stamp) {
        return template.filled(stamp);
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
