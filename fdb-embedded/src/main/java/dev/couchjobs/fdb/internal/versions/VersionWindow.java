package dev.couchjobs.fdb.internal.versions;

import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.keys.Limits;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The committed contents of the last five seconds. Read versions follow the clock also when nothing commits, so that
 * they tell the time. This is safe because a read version is handed out together with the complete contents up to it.
 * While a commit version is reserved and not yet published, read versions stay below it.
 *
 * <p>Thread-safe; reserving and publishing are for the commit pipeline alone.
 */
public final class VersionWindow {
    /** A new database is older than the window, so that small version numbers are as outdated as anywhere. */
    public static final long FIRST_VERSION = 2 * Limits.WINDOW_VERSIONS;

    /** Advancing in steps of a millisecond spares readers a contended write each. */
    private static final long READ_STEP = Limits.VERSIONS_PER_SECOND / 1000;

    /** {@code reserved} is the last version that is reserved and not yet published, or {@link #NONE}. */
    private record Head(Snapshot newest, long reserved) {}

    private static final long NONE = 0;

    private final VersionClock clock;
    private final LongSupplier ceiling;
    private final AtomicReference<Head> head;
    private final VersionHistory history;

    /** Starts with {@code first}; read versions follow the clock up to {@code ceiling}. */
    public VersionWindow(VersionClock clock, Snapshot first, LongSupplier ceiling) {
        this.clock = clock;
        this.ceiling = ceiling;
        this.head = new AtomicReference<>(new Head(first, NONE));
        this.history = new VersionHistory(first);
    }

    /** The contents of all acknowledged commits. */
    public Snapshot latest() {
        return advanced(READ_STEP);
    }

    /** The contents at a version that the user has set, if it is in the window. */
    public Snapshot at(long version) {
        if (version > head().newest.version() && version > advanced(1).version()) {
            throw FdbError.FUTURE_VERSION.exception();
        }
        Snapshot newest = head().newest;
        Contents contents = version >= newest.version() ? newest.contents() : history.at(version);
        if (contents == null || isTooOld(version)) {
            throw FdbError.TRANSACTION_TOO_OLD.exception();
        }
        return new Snapshot(version, contents);
    }

    public boolean isTooOld(long version) {
        return version < oldestReadable();
    }

    public long oldestReadable() {
        return clock.now() - Limits.WINDOW_VERSIONS;
    }

    /** The newest published contents. */
    public Snapshot newest() {
        return head().newest;
    }

    /**
     * The version of the next commit, greater than every version handed out or reserved; to be followed, in the same
     * order, by {@link #publish} or {@link #abandon}.
     */
    public long reserve() {
        // Until this version is published, readers keep the newest version, which may be too old after an idle time.
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
        Contents contents = edit.contents();
        history.add(version, contents, edit.mutations(), version - Limits.WINDOW_VERSIONS);
        release(version, new Snapshot(version, contents));
    }

    /** Gives up a reserved version, which will not be published. */
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
        Snapshot newest = current.newest;
        Head next = new Head(new Snapshot(now, newest.contents(), newest.stampVersion()), NONE);
        if (!head.compareAndSet(current, next)) {
            return head().newest;
        }
        return next.newest;
    }

    private Head head() {
        return Objects.requireNonNull(head.get());
    }
}
