package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.tuple.Versionstamp;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Records read versions, and returns those that are older than a given age.
 *
 * <p>Age is the time of the pauses that this process has slept through, so it is never overestimated. No clocks are
 * compared. A process that was suspended takes its versions for younger than they are.
 */
final class AgedVersions {
    private final Deque<AgedVersion> versions = new ArrayDeque<>();
    private Duration elapsed = Duration.ZERO;

    private record AgedVersion(Versionstamp at, Duration since) {}

    void elapse(Duration pause) {
        elapsed = elapsed.plus(pause);
    }

    /** Records the current version, unless the last one is younger than {@code spacing}. */
    void mark(Versionstamp now, Duration spacing) {
        AgedVersion last = versions.peekLast();
        if (last == null || elapsed.minus(last.since).compareTo(spacing) >= 0) {
            versions.addLast(new AgedVersion(now, elapsed));
        }
    }

    /** Removes the versions that are older than {@code age}, except the newest of them. */
    void forgetAllButNewestOlderThan(Duration age) {
        takeOlderThan(age).ifPresent(newest -> restore(newest, age));
    }

    /** Removes the versions that are older than {@code age} and returns the newest of them. */
    Optional<Versionstamp> takeOlderThan(Duration age) {
        @Nullable AgedVersion newest = null;
        while (!versions.isEmpty() && elapsed.minus(versions.peekFirst().since).compareTo(age) >= 0) {
            newest = versions.pollFirst();
        }
        return Optional.ofNullable(newest).map(AgedVersion::at);
    }

    /** Adds a version again whose use has failed. */
    void restore(Versionstamp mark, Duration age) {
        versions.addFirst(new AgedVersion(mark, elapsed.minus(age)));
    }

    void forget() {
        versions.clear();
    }
}
