package dev.couchjobs.bridge.internal.claims;

import dev.couchjobs.bridge.internal.store.SlotReservations.StepRound;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The leases on the claims of this process. A process begins a step only while it holds the lease. Leases are not
 * stored, so a new process has none. Thread-safe.
 *
 * <p>A lease ends by the clock or by the ticks, whichever is first. The clock advances while the process is suspended;
 * the ticks advance if the clock is set back.
 */
final class Leases {
    private final InstantSource clock;
    private final TickCounter ticks;
    private final int length;
    private final Map<StepRound, Lease> leases = new ConcurrentHashMap<>();

    /** @param length the length of a lease, in ticks */
    Leases(InstantSource clock, TickCounter ticks, int length) {
        this.clock = clock;
        this.ticks = ticks;
        this.length = length;
    }

    private record Lease(Instant end, long lastTick) {}

    /** Begins a lease. The caller does so before any node can see the claim. */
    void begin(StepRound round) {
        Duration time = ticks.apart().multipliedBy(length);
        leases.put(round, new Lease(clock.instant().plus(time), ticks.now() + length));
    }

    /** {@return whether this process may still begin the step} */
    boolean holds(StepRound round) {
        Lease lease = leases.get(round);
        return lease != null && isHeld(lease);
    }

    private boolean isHeld(Lease lease) {
        return clock.instant().isBefore(lease.end()) && ticks.now() < lease.lastTick();
    }

    void end(StepRound round) {
        leases.remove(round);
    }

    /** Removes the leases that have ended. */
    void forget() {
        leases.values().removeIf(lease -> !isHeld(lease));
    }
}
