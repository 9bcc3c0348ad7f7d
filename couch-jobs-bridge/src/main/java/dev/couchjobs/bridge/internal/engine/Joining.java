package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.ledger.Seats;
import java.time.Duration;

/** How nodes are joined. */
public sealed interface Joining {

    /** They share one database. */
    record SharedDatabase() implements Joining {}

    /**
     * They have nothing in common but replicated documents.
     *
     * @param seats this node's own rows for it
     * @param claimTimeout how long a claim may be silent before it is withdrawn
     */
    record Replication(Seats seats, Duration claimTimeout) implements Joining {}
}
