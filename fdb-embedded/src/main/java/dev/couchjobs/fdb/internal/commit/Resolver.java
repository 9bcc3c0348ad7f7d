package dev.couchjobs.fdb.internal.commit;

import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.keys.Limits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * Finds conflicts with the writes of the last five seconds. Keeps the writes in generations and evicts a generation as
 * a whole, so no entry is removed one by one; most reads are newer than all generations but the newest, and search only
 * that. Belongs to the sequencer, hence not thread-safe.
 */
final class Resolver {
    /** The resolver keeps at most one generation beyond the window. */
    private static final long GENERATION_VERSIONS = Limits.WINDOW_VERSIONS / 8;

    private final long generationVersions;
    /** Oldest first. */
    private final Deque<RecentWrites> generations = new ArrayDeque<>();

    Resolver() {
        this(GENERATION_VERSIONS);
    }

    /** {@code generationVersions} is the length of a generation. */
    Resolver(long generationVersions) {
        this.generationVersions = generationVersions;
    }

    /** Whether any of {@code reads} was written after {@code readVersion}. */
    boolean conflicts(List<KeyRange> reads, long readVersion) {
        if (reads.isEmpty()) {
            return false;
        }
        Iterator<RecentWrites> newestFirst = generations.descendingIterator();
        while (newestFirst.hasNext()) {
            RecentWrites generation = newestFirst.next();
            if (generation.newest() <= readVersion) {
                return false;
            }
            for (KeyRange read : reads) {
                if (generation.lastWrite(read) > readVersion) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Records writes of ranges in ascending order. Versions do not decrease from call to call. */
    void recordWrites(List<KeyRange> ranges, long version) {
        List<byte[]> keys = new ArrayList<>(ranges.size());
        for (KeyRange range : ranges) {
            if (range.isSingleKey()) {
                keys.add(range.begin());
            } else if (!range.isEmpty()) {
                generation(version).addRange(range, version);
            }
        }
        if (!keys.isEmpty()) {
            generation(version).addKeys(keys, version);
        }
    }

    void recordKey(byte[] key, long version) {
        generation(version).addKey(key, version);
    }

    /** Evicts the writes up to {@code version}: no transaction reads at that version or an older one. */
    void evictUpTo(long version) {
        while (!generations.isEmpty() && generations.getFirst().newest() <= version) {
            generations.removeFirst();
        }
    }

    /** The number of generations. */
    int size() {
        return generations.size();
    }

    private RecentWrites generation(long version) {
        RecentWrites newest = generations.peekLast();
        if (newest == null || version - newest.oldest() >= generationVersions) {
            newest = new RecentWrites(version);
            generations.addLast(newest);
        }
        return newest;
    }
}
