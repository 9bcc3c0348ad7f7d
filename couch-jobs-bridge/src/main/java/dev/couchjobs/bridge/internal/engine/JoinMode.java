package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.store.SlotReservations;
import java.time.Duration;

/** How nodes are joined. */
public sealed interface JoinMode {

    /** They share one database. */
    record SharedDatabase() implements JoinMode {}

    /**
     * They have nothing in common but replicated documents.
     *
     * @param reservations this node's own rows for it
     * @param claimTimeout how long a claim may be silent before it is withdrawn
     */
    record Replication(SlotReservations reservations, Duration claimTimeout) implements JoinMode {}
}
