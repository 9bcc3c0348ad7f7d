package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.store.SlotReservations;
import java.time.Duration;

/** How nodes share work. */
public sealed interface JoinMode {

    /** The nodes share one database. */
    record SharedDatabase() implements JoinMode {}

    /**
     * The nodes share only replicated documents.
     *
     * @param reservations the slot reservations of this node
     * @param claimTimeout how long a claim may be silent before it is withdrawn
     */
    record Replication(SlotReservations reservations, Duration claimTimeout) implements JoinMode {}
}
