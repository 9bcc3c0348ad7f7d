package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.tuple.Versionstamp;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Remembers where the database was, and tells which of those places are older than a given age.
 *
 * <p>Age is counted in pauses that this process has slept through, and so is never overestimated: no clock is compared
 * with another, and a process that was suspended only finds its marks younger than they are.
 */
final class AgedVersions {
    private final Deque<AgedVersion> versions = new ArrayDeque<>();
    private Duration elapsed = Duration.ZERO;

    private record AgedVersion(Versionstamp at, Duration since) {}

    void elapse(Duration pause) {
        elapsed = elapsed.plus(pause);
    }

    /** Marks the present place, unless the last mark is younger than {@code spacing}. */
    void mark(Versionstamp now, Duration spacing) {
        AgedVersion last = versions.peekLast();
        if (last == null || elapsed.minus(last.since).compareTo(spacing) >= 0) {
            versions.addLast(new AgedVersion(now, elapsed));
        }
    }

    /** Forgets what {@link #takeOlderThan} would take out and not return. */
    void forgetAllButNewestOlderThan(Duration age) {
        takeOlderThan(age).ifPresent(mark -> putBack(mark, age));
    }

    /** Takes out what is older than {@code age} and returns the newest of it. */
    Optional<Versionstamp> takeOlderThan(Duration age) {
        @Nullable AgedVersion newest = null;
        while (!versions.isEmpty() && elapsed.minus(versions.peekFirst().since).compareTo(age) >= 0) {
            newest = versions.pollFirst();
        }
        return Optional.ofNullable(newest).map(AgedVersion::at);
    }

    /** Puts back a mark that was taken out and could not be acted upon. */
    void putBack(Versionstamp mark, Duration age) {
        versions.addFirst(new AgedVersion(mark, elapsed.minus(age)));
    }

    void forget() {
        versions.clear();
    }
}
