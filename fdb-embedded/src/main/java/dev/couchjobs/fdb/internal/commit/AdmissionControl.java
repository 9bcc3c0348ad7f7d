package dev.couchjobs.fdb.internal.commit;

import dev.couchjobs.fdb.internal.keys.Limits;
import dev.couchjobs.fdb.internal.versions.VersionWindow;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * How long a commit has to wait so that what is kept for the last five seconds fits into memory. Below half of the
 * limit nothing waits. Above it the rate at which commits are let in falls, smoothly, to nothing at the limit: what is
 * written faster than it can be kept settles at the rate at which the old goes, and no commit waits as long as the
 * window.
 *
 * <p>Used by one thread at a time.
 */
final class AdmissionControl {
    /** What changes next to the keys and values of a commit: nodes of trees, entries of the conflict table, arrays. */
    private static final long BYTES_PER_WRITE = 128;

    private static final long NANOS_PER_VERSION = 1_000_000_000L / Limits.VERSIONS_PER_SECOND;
    private static final long WINDOW_NANOS = Limits.WINDOW_VERSIONS * NANOS_PER_VERSION;
    /** The error when there is no room at all. Room comes with time, so the caller may try again. */
    static final long FULL_NANOS = WINDOW_NANOS / 200;
    /** Commits within that time are counted, and forgotten, together. */
    private static final long STEP_VERSIONS = Limits.WINDOW_VERSIONS / 200;

    /** From that version on. */
    private record Step(long version, long bytes) {}

    private final VersionWindow versions;
    private final long limit;
    /** Oldest first. */
    private final Deque<Step> recent = new ArrayDeque<>();

    private long used;

    AdmissionControl(VersionWindow versions, long limit) {
        this.versions = versions;
        this.limit = limit;
    }

    /** About what the engine keeps of a commit until it has left the window. */
    static long bytes(Commit commit) {
        return commit.bytes()
                + BYTES_PER_WRITE
                        * (commit.writes().size() + commit.conflictingWrites().size());
    }

    /** Zero if that many bytes may be decided on now. */
    long delayNanos(long bytes) {
        if (used <= limit / 2) {
            return 0;
        }
        forget();
        long over = used - limit / 2;
        if (over <= 0) {
            return 0;
        }
        // What is larger than all there is has to go through when there is little else.
        if (used + bytes > limit) {
            return FULL_NANOS;
        }
        return (long) ((double) WINDOW_NANOS * bytes / limit * over / (limit - used));
    }

    void admit(long version, long bytes) {
        used += bytes;
        Step last = recent.peekLast();
        if (last != null && version - last.version < STEP_VERSIONS) {
            recent.removeLast();
            recent.addLast(new Step(last.version, last.bytes + bytes));
        } else {
            forget();
            recent.addLast(new Step(version, bytes));
        }
    }

    /** What has been published and has left the window. */
    private void forget() {
        long readable = versions.oldestReadable();
        long published = versions.newest().version();
        Step first = recent.peekFirst();
        while (first != null && first.version + STEP_VERSIONS <= readable && first.version <= published) {
            recent.removeFirst();
            used -= first.bytes;
            first = recent.peekFirst();
        }
    }
}
