package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.store.SlotReservations;
import java.time.Duration;

/** How nodes share work. */
public sealed interface JoinMode {

    /**
     * The nodes share one database.
     *
     * @param isRecovering whether the progress in documents that the store has never had is believed, because the store
     *     was lost
     */
    record SharedDatabase(boolean isRecovering) implements JoinMode {}

    /**
     * The nodes share only replicated documents.
     *
     * @param reservations the slot reservations of this node
     * @param claimTimeout how long a claim may be silent before it is withdrawn
     */
    record Replication(SlotReservations reservations, Duration claimTimeout) implements JoinMode {}
}
