package dev.couchjobs.fdb.internal.base;

import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** Everything that reads a RocksDB and has to be over before it is closed. */
final class RocksReads {
    private final RocksDB db;
    private final ReadOptions options;
    private final StorageErrors errors;
    private final IteratorPool iterators;
    private final Occupancy occupancy;

    RocksReads(RocksDB db, ReadOptions options, Occupancy occupancy, StorageErrors errors) {
        this.db = db;
        this.options = options;
        this.occupancy = occupancy;
        this.errors = errors;
        this.iterators = new IteratorPool(() -> db.newIterator(options));
    }

    byte @Nullable [] get(byte[] key) {
        occupancy.enter();
        try {
            return Reserved.contains(key) ? null : db.get(options, key);
        } catch (RocksDBException e) {
            throw errors.when("reading", e);
        } finally {
            occupancy.leave();
        }
    }

    /** Whether there may be such a key, as far as memory tells. */
    boolean mayHold(byte[] key) {
        return db.keyMayExist(options, key, null);
    }

    RocksCursor ascending(byte[] from) {
        return open(true, from);
    }

    RocksCursor descending(byte[] before) {
        return open(false, before);
    }

    /** What was written before this call is seen by every read that begins after it. One thread at a time. */
    void renew() {
        iterators.renew();
    }

    /** Frees the iterators; the last read is over. */
    void close() {
        iterators.close();
    }

    void end(IteratorPool.Lease lease) {
        lease.giveBack();
        occupancy.leave();
    }

    StorageException failure(RocksDBException cause) {
        return errors.when("reading", cause);
    }

    private RocksCursor open(boolean upwards, byte[] position) {
        occupancy.enter();
        RocksCursor cursor = new RocksCursor(this, iterators.take(), upwards);
        cursor.seek(position);
        return cursor;
    }
}
