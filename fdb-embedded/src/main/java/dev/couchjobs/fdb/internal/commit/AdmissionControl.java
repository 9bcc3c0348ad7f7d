package dev.couchjobs.fdb.internal.commit;

import dev.couchjobs.fdb.internal.keys.Limits;
import dev.couchjobs.fdb.internal.versions.VersionWindow;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Delays commits so that the writes of the MVCC window fit into memory. Below half of the limit no commit waits. Above
 * it the admission rate falls smoothly, and reaches zero at the limit. Write throughput converges to the eviction rate,
 * and no commit waits as long as the window. Used by one thread at a time.
 */
final class AdmissionControl {
    /** Overhead per write besides its key and value: tree nodes, entries of the conflict table, arrays. */
    private static final long BYTES_PER_WRITE = 128;

    private static final long NANOS_PER_VERSION = 1_000_000_000L / Limits.VERSIONS_PER_SECOND;
    private static final long WINDOW_NANOS = Limits.WINDOW_VERSIONS * NANOS_PER_VERSION;
    /** Re-check interval when the window is full. */
    static final long FULL_NANOS = WINDOW_NANOS / 200;
    /** Commits within one interval are counted, and evicted, together. */
    private static final long INTERVAL_VERSIONS = Limits.WINDOW_VERSIONS / 200;

    /** The bytes of the commits in the interval that begins at {@code version}. */
    private record Interval(long version, long bytes) {}

    private final VersionWindow versions;
    private final long limit;
    /** Oldest first. */
    private final Deque<Interval> recent = new ArrayDeque<>();

    private long used;

    AdmissionControl(VersionWindow versions, long limit) {
        this.versions = versions;
        this.limit = limit;
    }

    /** Estimates the memory that the engine keeps for a commit until it leaves the window. */
    static long bytes(Commit commit) {
        return commit.bytes()
                + BYTES_PER_WRITE
                        * (commit.writes().size() + commit.conflictingWrites().size());
    }

    /** Returns how long commits of that many bytes have to wait, or 0 if they are admitted now. */
    long delayNanos(long bytes) {
        if (used <= limit / 2) {
            return 0;
        }
        evict();
        long excess = used - limit / 2;
        if (excess <= 0) {
            return 0;
        }
        // The check above admits a batch larger than the limit once the window is at most half full.
        if (used + bytes > limit) {
            return FULL_NANOS;
        }
        return (long) ((double) WINDOW_NANOS * bytes / limit * excess / (limit - used));
    }

    void admit(long version, long bytes) {
        used += bytes;
        Interval last = recent.peekLast();
        if (last != null && version - last.version < INTERVAL_VERSIONS) {
            recent.removeLast();
            recent.addLast(new Interval(last.version, last.bytes + bytes));
        } else {
            evict();
            recent.addLast(new Interval(version, bytes));
        }
    }

    /** Evicts the intervals that are published and have left the window. */
    private void evict() {
        long readable = versions.oldestReadable();
        long published = versions.newest().version();
        Interval first = recent.peekFirst();
        while (first != null && first.version + INTERVAL_VERSIONS <= readable && first.version <= published) {
            recent.removeFirst();
            used -= first.bytes;
            first = recent.peekFirst();
        }
    }
}
