package dev.couchjobs.fdb.internal.commit;

import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.keys.Limits;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * Who wrote what in the last five seconds, in generations that are forgotten as a whole: most reads are younger than
 * all generations but the newest and look at no other, and nothing has to be taken out again one by one. Belongs to the
 * sequencer, hence not thread-safe.
 */
final class Resolver {
    /** What is remembered beyond the window is at most one generation. */
    private static final long GENERATION_VERSIONS = Limits.WINDOW_VERSIONS / 8;

    private final long generationVersions;
    /** Oldest first. */
    private final Deque<RecentWrites> generations = new ArrayDeque<>();

    Resolver() {
        this(GENERATION_VERSIONS);
    }

    /** With generations of that many versions. */
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

    /** Versions do not decrease from call to call. */
    void recordWrites(List<KeyRange> ranges, long version) {
        for (KeyRange range : ranges) {
            if (range.isSingleKey()) {
                recordKey(range.begin(), version);
            } else if (!range.isEmpty()) {
                generation(version).addRange(range, version);
            }
        }
    }

    void recordKey(byte[] key, long version) {
        generation(version).addKey(key, version);
    }

    /** Forgets what happened at or before {@code horizon}: no transaction may read at a version that old any more. */
    void forgetUpTo(long horizon) {
        while (!generations.isEmpty() && generations.getFirst().newest() <= horizon) {
            generations.removeFirst();
        }
    }

    /** How many generations are remembered. */
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
