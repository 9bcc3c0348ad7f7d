package dev.couchjobs.bridge.internal.claims;

import dev.couchjobs.bridge.internal.store.SlotReservations.StepRound;
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
    private final TickCounter ticks;
    private final int length;
    private final Map<StepRound, Lease> leases = new ConcurrentHashMap<>();

    /** @param length how long they are, in ticks */
    Leases(InstantSource clock, TickCounter ticks, int length) {
        this.clock = clock;
        this.ticks = ticks;
        this.length = length;
    }

    private record Lease(Instant end, long lastTick) {}

    /** Begins a lease: before any node can know of the claim. */
    void begin(StepRound round) {
        Duration time = ticks.apart().multipliedBy(length);
        leases.put(round, new Lease(clock.instant().plus(time), ticks.now() + length));
    }

    /** {@return whether this process may begin that} */
    boolean holds(StepRound round) {
        Lease lease = leases.get(round);
        return lease != null && isHeld(lease);
    }

    private boolean isHeld(Lease lease) {
        return clock.instant().isBefore(lease.end()) && ticks.now() < lease.lastTick();
    }

    /** Ends a lease. */
    void end(StepRound round) {
        leases.remove(round);
    }

    /** Forgets those that are over. */
    void forget() {
        leases.values().removeIf(lease -> !isHeld(lease));
    }
}
