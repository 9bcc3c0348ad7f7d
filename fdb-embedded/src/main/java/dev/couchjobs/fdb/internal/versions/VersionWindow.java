package dev.couchjobs.fdb.internal.versions;

import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.keys.Limits;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The committed states of the last five seconds. Read versions follow the clock even when nothing commits, so that they
 * tell the time; that is safe because a version is only ever handed out together with the data that is complete up to
 * it. While a commit version is reserved and its data is not yet published, readers stay below it.
 *
 * <p>Thread-safe; reserving and publishing are for the commit pipeline alone.
 */
public final class VersionWindow {
    /** A new database is older than the window, so that small version numbers are as outdated as anywhere. */
    public static final long FIRST_VERSION = 2 * Limits.WINDOW_VERSIONS;

    /** Advancing in steps of a millisecond spares readers a contended write each. */
    private static final long READ_STEP = Limits.VERSIONS_PER_SECOND / 1000;

    /** {@code reserved} is the last version that has been reserved and is still to be published, or {@link #NONE}. */
    private record Head(Snapshot newest, long reserved) {}

    private static final long NONE = 0;

    private final VersionClock clock;
    private final LongSupplier ceiling;
    private final AtomicReference<Head> head;
    private final VersionHistory history;

    /** Starts with {@code first}; {@code ceiling} says up to where read versions may follow the clock. */
    public VersionWindow(VersionClock clock, Snapshot first, LongSupplier ceiling) {
        this.clock = clock;
        this.ceiling = ceiling;
        this.head = new AtomicReference<>(new Head(first, NONE));
        this.history = new VersionHistory(first);
    }

    /** Everything acknowledged so far. */
    public Snapshot latest() {
        return advanced(READ_STEP);
    }

    /** The state at a version that a user names, if it is still, and already, known. */
    public Snapshot at(long version) {
        if (version > head().newest.version() && version > advanced(1).version()) {
            throw FdbError.FUTURE_VERSION.exception();
        }
        Snapshot newest = head().newest;
        Contents data = version >= newest.version() ? newest.data() : history.at(version);
        if (data == null || isTooOld(version)) {
            throw FdbError.TRANSACTION_TOO_OLD.exception();
        }
        return new Snapshot(version, data);
    }

    public boolean isTooOld(long version) {
        return version < oldestReadable();
    }

    public long oldestReadable() {
        return clock.now() - Limits.WINDOW_VERSIONS;
    }

    /** All that has been published. */
    public Snapshot newest() {
        return head().newest;
    }

    /**
     * The version of the next commit, greater than every version handed out or reserved; to be followed, in the same
     * order, by {@link #publish} or {@link #abandon}.
     */
    public long reserve() {
        // Until this version is published readers stay with the newest, which after a quiet time would be too old for
        // them.
        Snapshot unused = advanced(Limits.VERSIONS_PER_SECOND);
        while (true) {
            Head current = head();
            long last = Math.max(current.newest.version(), current.reserved);
            long version = Math.max(clock.now(), last + 1);
            if (head.compareAndSet(current, new Head(current.newest, version))) {
                return version;
            }
        }
    }

    public void publish(long version, Edit edit) {
        Contents data = edit.contents();
        history.add(version, data, edit.mutations(), version - Limits.WINDOW_VERSIONS);
        release(version, new Snapshot(version, data));
    }

    /** What was to be published at this version never will be. */
    public void abandon(long version) {
        release(version, null);
    }

    private void release(long version, @Nullable Snapshot published) {
        while (true) {
            Head current = head();
            Snapshot newest = published == null ? current.newest : published;
            long reserved = current.reserved == version ? NONE : current.reserved;
            if (head.compareAndSet(current, new Head(newest, reserved))) {
                return;
            }
        }
    }

    private Snapshot advanced(long step) {
        Head current = head();
        long now = Math.min(clock.now(), ceiling.getAsLong());
        if (current.reserved != NONE || now < current.newest.version() + step) {
            return current.newest;
        }
        Head next = new Head(new Snapshot(now, current.newest.data()), NONE);
        if (!head.compareAndSet(current, next)) {
            return head().newest;
        }
        return next.newest;
    }

    private Head head() {
        return Objects.requireNonNull(head.get());
    }
}
