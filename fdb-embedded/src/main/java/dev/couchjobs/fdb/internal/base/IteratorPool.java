package dev.couchjobs.fdb.internal.base;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Supplier;
import org.rocksdb.RocksIterator;

/**
 * Iterators for reuse: to make one costs more than a short read with it. An iterator shows the state it was made in, so each
 * generation, which begins when a change has become visible, has iterators of its own.
 */
final class IteratorPool {
    private final Supplier<RocksIterator> factory;
    private volatile Generation current = new Generation();

    IteratorPool(Supplier<RocksIterator> factory) {
        this.factory = factory;
    }

    Lease take() {
        // Read before an iterator is made: one that is newer than its generation does no harm, an older one would.
        Generation generation = current;
        RocksIterator idle = generation.idle.poll();
        return new Lease(generation, idle == null ? factory.get() : idle);
    }

    /** Nothing that was made before this call is handed out after it. One thread at a time. */
    void renew() {
        Generation outdated = current;
        current = new Generation();
        outdated.retire();
    }

    void close() {
        current.retire();
    }

    record Lease(Generation generation, RocksIterator iterator) {
        void giveBack() {
            generation.idle.push(iterator);
            if (generation.retired) {
                generation.free();
            }
        }
    }

    static final class Generation {
        private final ConcurrentLinkedDeque<RocksIterator> idle = new ConcurrentLinkedDeque<>();
        private volatile boolean retired;

        private void retire() {
            retired = true;
            free();
        }

        private void free() {
            for (RocksIterator iterator = idle.poll(); iterator != null; iterator = idle.poll()) {
                iterator.close();
            }
        }
    }
}
