package dev.couchjobs.topics.internal.groups;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Tells which members are dead, from their heartbeats, as one process sees them.
 *
 * <p>A member is dead once its heartbeat has not changed for the lease: by the clock of this process, which may jump,
 * and by the versions of the database, which may jump too. Both have to say so. A clock that is set back begins the
 * lease again. No clocks of two processes are compared. One thread at a time.
 */
final class LeaseWatch {
    private final Duration lease;
    private final Map<String, Seen> seen = new HashMap<>();

    /** A heartbeat, and when it was seen first. */
    @SuppressWarnings("ArrayRecordComponent") // compared by its heartbeat alone
    private record Seen(byte[] heartbeat, long version, Instant at) {}

    LeaseWatch(Duration lease) {
        this.lease = lease;
    }

    /** {@return whether a member is dead} */
    boolean isDead(String member, byte[] heartbeat, long version, Instant now) {
        Seen before = seen.get(member);
        if (before == null || !Arrays.equals(before.heartbeat, heartbeat) || now.isBefore(before.at)) {
            seen.put(member, new Seen(heartbeat, version, now));
            return false;
        }
        return version - before.version > TimeUnit.MILLISECONDS.toMicros(lease.toMillis())
                && Duration.between(before.at, now).compareTo(lease) > 0;
    }

    /** Forgets members that are gone. */
    void keepOnly(Set<String> members) {
        seen.keySet().retainAll(members);
    }
}
