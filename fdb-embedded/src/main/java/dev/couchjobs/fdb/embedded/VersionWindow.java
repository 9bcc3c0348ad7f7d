package dev.couchjobs.fdb.embedded;

import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The committed states of the last five seconds. Read versions follow the clock even when nobody commits, so that they
 * tell the time; that is safe because a version is only ever handed out together with the data that is complete up to
 * it. While a commit version is reserved and its data is being built, readers stay below it.
 *
 * <p>Thread-safe; reserving and publishing are for the commit pipeline alone.
 */
final class VersionWindow {
    /** A new database is older than the window, so that small version numbers are as outdated as anywhere. */
    static final long FIRST_VERSION = 2 * Limits.WINDOW_VERSIONS;

    /** Advancing in steps of a millisecond spares readers a contended write each. */
    private static final long READ_STEP = Limits.VERSIONS_PER_SECOND / 1000;

    private record Head(Snapshot newest, boolean reserved) {}

    private final VersionClock clock;
    private final AtomicReference<Head> head;
    private final NavigableMap<Long, OrderedMap<byte[]>> history = new ConcurrentSkipListMap<>();

    VersionWindow(VersionClock clock, OrderedMap<byte[]> data) {
        this.clock = clock;
        this.head = new AtomicReference<>(new Head(new Snapshot(FIRST_VERSION, data), false));
        this.history.put(FIRST_VERSION, data);
    }

    static VersionWindow startingEmpty(VersionClock clock) {
        return new VersionWindow(clock, OrderedMap.empty(Summary.TOTAL_BYTES));
    }

    /** Everything acknowledged so far. */
    Snapshot latest() {
        return advanced(READ_STEP);
    }

    /** The state at a version that a user names, if it is still, and already, known. */
    Snapshot at(long version) {
        if (version > head().newest.version() && version > advanced(1).version()) {
            throw FdbError.FUTURE_VERSION.exception();
        }
        Map.Entry<Long, OrderedMap<byte[]>> entry = history.floorEntry(version);
        if (entry == null || isTooOld(version)) {
            throw FdbError.TRANSACTION_TOO_OLD.exception();
        }
        return new Snapshot(version, entry.getValue());
    }

    boolean isTooOld(long version) {
        return version < clock.now() - Limits.WINDOW_VERSIONS;
    }

    /** What the next commit builds on. */
    OrderedMap<byte[]> committed() {
        return head().newest.data();
    }

    /** The version of the next commit, greater than every version handed out; to be followed by {@link #publish}. */
    long reserve() {
        while (true) {
            Head current = head();
            if (head.compareAndSet(current, new Head(current.newest, true))) {
                return Math.max(clock.now(), current.newest.version() + 1);
            }
        }
    }

    void publish(long version, OrderedMap<byte[]> data) {
        history.put(version, data);
        head.set(new Head(new Snapshot(version, data), false));
        forgetBefore(version);
    }

    private Snapshot advanced(long step) {
        Head current = head();
        long now = clock.now();
        if (current.reserved || now < current.newest.version() + step) {
            return current.newest;
        }
        Head next = new Head(new Snapshot(now, current.newest.data()), false);
        if (!head.compareAndSet(current, next)) {
            return head().newest;
        }
        forgetBefore(now);
        return next.newest;
    }

    /** The newest state out of the window stays: it is what the first versions within the window still see. */
    private void forgetBefore(long now) {
        Long oldest = history.floorKey(now - Limits.WINDOW_VERSIONS);
        if (oldest != null) {
            history.headMap(oldest, false).clear();
        }
    }

    private Head head() {
        return Objects.requireNonNull(head.get());
    }
}
