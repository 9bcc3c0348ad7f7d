package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.ledger.Seats.Seat;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * For how long this process may still begin what it has claimed. Known to this process only: one that has ended has none.
 * Thread-safe.
 *
 * <p>Time is taken by the clock, which goes on while the process is suspended. Whoever begins a lease also has it ended by
 * a timer, in case the clock is set back.
 */
final class Leases {
    private final InstantSource clock;
    private final Duration length;
    private final Map<Seat, Instant> ends = new ConcurrentHashMap<>();

    Leases(InstantSource clock, Duration length) {
        this.clock = clock;
        this.length = length;
    }

    Duration length() {
        return length;
    }

    /** Begins a lease: before anybody can know of the claim. */
    void begin(Seat seat) {
        ends.put(seat, clock.instant().plus(length));
    }

    /** {@return whether this process may begin that} */
    boolean holds(Seat seat) {
        Instant end = ends.get(seat);
        return end != null && clock.instant().isBefore(end);
    }

    /** Ends a lease. */
    void end(Seat seat) {
        ends.remove(seat);
    }
}
