package dev.couchjobs.fdb.internal.base;

import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * All that uses a RocksDB and has to be over before it is closed: the current generation, and older ones until their
 * last read ends.
 */
final class RocksReads {
    private final RocksDB db;
    private final ReadOptions options;
    private final StorageErrors errors;
    private final CountDownLatch over = new CountDownLatch(1);
    private final ReferenceCount generations = new ReferenceCount(over::countDown);

    /** Null once closed. */
    private volatile @Nullable Generation current;

    RocksReads(RocksDB db, ReadOptions options, StorageErrors errors) {
        this.db = db;
        this.options = options;
        this.errors = errors;
        this.current = generation(EmptyRanges.NONE);
    }

    /** The current generation, which the caller leaves again. */
    Generation enter() {
        while (true) {
            Generation generation = current;
            if (generation == null) {
                throw new IllegalStateException("The database is closed");
            }
            if (generation.references.enter()) {
                return generation;
            }
        }
    }

    byte @Nullable [] get(byte[] key) {
        Generation generation = enter();
        try {
            return ReservedKeys.contains(key) ? null : db.get(generation.options(), key);
        } catch (RocksDBException e) {
            throw errors.when("reading", e);
        } finally {
            generation.references.leave();
        }
    }

    RocksCursor open(boolean upwards, byte[] position) {
        RocksCursor cursor = new RocksCursor(enter(), upwards, errors);
        cursor.seek(position);
        return cursor;
    }

    /** Reads that begin later see what was written before. The caller is inside the current generation. */
    void renew(EmptyRanges gaps) {
        Generation outdated;
        synchronized (this) {
            outdated = current;
            if (outdated == null) {
                return;
            }
            current = generation(gaps);
        }
        outdated.references.close();
    }

    /** Waits for the last read, and lets no other begin. Returns true to the first who calls it. */
    boolean close() {
        Generation last;
        synchronized (this) {
            last = current;
            current = null;
        }
        if (last != null) {
            generations.close();
            last.references.close();
        }
        awaitLastReader();
        return last != null;
    }

    private Generation generation(EmptyRanges gaps) {
        generations.enter();
        return new Generation(db, options, gaps, generations::leave);
    }

    private void awaitLastReader() {
        boolean interrupted = false;
        while (true) {
            try {
                over.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
