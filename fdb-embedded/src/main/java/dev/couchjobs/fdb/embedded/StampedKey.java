package dev.couchjobs.fdb.embedded;

/** A value that waits for the key that the commit's stamp will give it. */
final class StampedKey {
    private final StampTemplate template;
    private final byte[] value;
    private final KeyRange possibleKeys;
    /** What the transaction cleared after this write, so that a key that falls into it is not written at all. */
    private final RangeSet clearedLater = new RangeSet();

    StampedKey(StampTemplate template, byte[] value, KeyRange possibleKeys) {
        this.template = template;
        this.value = value;
        this.possibleKeys = possibleKeys;
    }

    KeyRange possibleKeys() {
        return possibleKeys;
    }

    void clear(byte[] begin, byte[] end) {
        clearedLater.add(begin, end);
    }

    byte[] key(CommitStamp stamp) {
        return template.filled(stamp);
    }

    byte[] value() {
        return value;
    }

    boolean survives(byte[] key) {
        return !clearedLater.contains(key);
    }

    long bytes() {
        return (long) template.bytes().length + value.length;
    }
}
