package dev.couchjobs.fdb.internal.base;

import java.util.concurrent.ConcurrentLinkedDeque;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.Snapshot;

/**
 * One state of a RocksDB and what reads it: iterators, which are used again because making one costs more than a short
 * read with it, and the gaps that reads have found. A thread that uses it has entered its {@link #references}.
 */
final class Generation {
    /** A step over more removed keys than this, some microseconds' worth, is worth remembering. */
    private static final long REMOVED_KEYS_STEPPED_OVER = 128;

    final ReferenceCount references;
    private final RocksDB db;
    private final Snapshot state;
    private volatile EmptyRanges gaps;

    final Iterators near;
    final Iterators far;

    Generation(RocksDB db, ReadOptions options, EmptyRanges gaps, Runnable freed) {
        this.db = db;
        this.state = db.getSnapshot();
        this.gaps = gaps;
        this.near = new Iterators(
                new ReadOptions(options).setSnapshot(state).setMaxSkippableInternalKeys(REMOVED_KEYS_STEPPED_OVER));
        this.far = new Iterators(new ReadOptions(options).setSnapshot(state));
        this.references = new ReferenceCount(() -> {
            free();
            freed.run();
        });
    }

    /** Options that read this state. */
    ReadOptions options() {
        return far.options;
    }

    EmptyRanges gaps() {
        return gaps;
    }

    synchronized void remember(byte[] begin, byte[] end) {
        gaps = gaps.with(begin, end);
    }

    private void free() {
        near.free();
        far.free();
        db.releaseSnapshot(state);
        state.close();
    }

    final class Iterators {
        private final ReadOptions options;
        private final ConcurrentLinkedDeque<RocksIterator> idle = new ConcurrentLinkedDeque<>();

        private Iterators(ReadOptions options) {
            this.options = options;
        }

        RocksIterator take() {
            RocksIterator iterator = idle.poll();
            return iterator == null ? db.newIterator(options) : iterator;
        }

        void giveBack(RocksIterator iterator) {
            idle.push(iterator);
        }

        private void free() {
            idle.forEach(RocksIterator::close);
            options.close();
        }
    }
}
