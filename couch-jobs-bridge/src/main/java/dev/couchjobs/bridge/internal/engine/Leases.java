package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.ledger.Seats.Seat;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * For how long this process may still begin what it has claimed. Known to this process only: one that has ended has
 * none. Thread-safe.
 *
 * <p>A lease ends by the clock, which goes on while the process is suspended, or by the ticks, which go on if the clock
 * is set back, whichever is first.
 */
final class Leases {
    private final InstantSource clock;
    private final Ticks ticks;
    private final int length;
    private final Map<Seat, Lease> leases = new ConcurrentHashMap<>();

    /** @param length how long they are, in ticks */
    Leases(InstantSource clock, Ticks ticks, int length) {
        this.clock = clock;
        this.ticks = ticks;
        this.length = length;
    }

    private record Lease(Instant end, long lastTick) {}

    /** Begins a lease: before any node can know of the claim. */
    void begin(Seat seat) {
        Duration time = ticks.apart().multipliedBy(length);
        leases.put(seat, new Lease(clock.instant().plus(time), ticks.now() + length));
    }

    /** {@return whether this process may begin that} */
    boolean holds(Seat seat) {
        Lease lease = leases.get(seat);
        return lease != null && isHeld(lease);
    }

    private boolean isHeld(Lease lease) {
        return clock.instant().isBefore(lease.end()) && ticks.now() < lease.lastTick();
    }

    /** Ends a lease. */
    void end(Seat seat) {
        leases.remove(seat);
    }

    /** Forgets those that are over. */
    void forget() {
        leases.values().removeIf(lease -> !isHeld(lease));
    }
}
