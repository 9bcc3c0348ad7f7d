package dev.couchjobs.fdb.internal.base;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** A pooled iterator, positioned. Each step costs three native calls, and a value, which not every reader wants, a fourth. */
final class RocksCursor implements BaseCursor {
    private final RocksReads reads;
    private final IteratorPool.Lease lease;
    private final RocksIterator iterator;
    private final boolean upwards;
    private byte @Nullable [] key;
    private byte @Nullable [] value;
    private boolean closed;

    RocksCursor(RocksReads reads, IteratorPool.Lease lease, boolean upwards) {
        this.reads = reads;
        this.lease = lease;
        this.iterator = lease.iterator();
        this.upwards = upwards;
    }

    void seek(byte[] position) {
        if (upwards) {
            iterator.seek(position);
            settle();
        } else {
            iterator.seekForPrev(position);
            settle();
            if (Arrays.equals(key, position)) {
                advance();
            }
        }
    }

    @Override
    public byte @Nullable [] key() {
        return key;
    }

    @Override
    public byte[] value() {
        requireEntry();
        byte[] fetched = value;
        if (fetched == null) {
            fetched = iterator.value();
            value = fetched;
        }
        return fetched;
    }

    @Override
    public void advance() {
        requireEntry();
        if (upwards) {
            iterator.next();
        } else {
            iterator.prev();
        }
        settle();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            key = null;
            reads.end(lease);
        }
    }

    private void settle() {
        value = null;
        if (iterator.isValid()) {
            key = iterator.key();
            return;
        }
        key = null;
        try {
            iterator.status();
        } catch (RocksDBException e) {
            close();
            throw reads.failure(e);
        }
    }

    private void requireEntry() {
        if (key == null) {
            throw new IllegalStateException(closed ? "The cursor is closed" : "The cursor is past the last key");
        }
    }
}
