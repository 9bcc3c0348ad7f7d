package dev.couchjobs.fdb.internal.versions;

import java.util.NoSuchElementException;

/** A scan over an {@link OrderedMap}. */
final class MapScan implements Scan {
    private final Cursor<byte[]> cursor;

    MapScan(Cursor<byte[]> cursor) {
        this.cursor = cursor;
    }

    @Override
    public boolean isOnEntry() {
        return cursor.peek() != null;
    }

    @Override
    public byte[] key() {
        return node().key;
    }

    @Override
    public byte[] value() {
        return node().value;
    }

    @Override
    public void advance() {
        cursor.advance();
    }

    /** Holds nothing but memory. */
    @Override
    public void close() {}

    private MapNode<byte[]> node() {
        MapNode<byte[]> node = cursor.peek();
        if (node == null) {
            throw new NoSuchElementException();
        }
        return node;
    }
}
