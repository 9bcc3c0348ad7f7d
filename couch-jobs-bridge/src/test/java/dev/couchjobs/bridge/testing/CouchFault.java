package dev.couchjobs.bridge.testing;

/**
 * The faults of the servers of a {@link ModelCouch}. The weight of a fault is its probability: at each step to which it
 * applies, or for each server, or the network, in each second.
 */
public enum CouchFault {
    /** A request arrives late, after up to three seconds. Per request. */
    SLOW_REQUEST(0.3),
    /** An answer arrives late, after up to three seconds, and later than others. Per answer. */
    SLOW_REPLY(0.3),
    /** A request does not arrive, or arrives after its client has given up; the client repeats it. Per request. */
    LOST_REQUEST(0.1),
    /**
     * A request is executed, completely or in part, and its answer is lost; the client repeats it. A writer then meets
     * the conflict of its own write. Per answer.
     */
    LOST_REPLY(0.1),
    /**
     * The client gets a failure for a lost answer instead of repeating the request. {@code CouchDatabase} promises that
     * only permanent failures reach its caller, so this fault has to be requested. Per lost answer.
     */
    FAILURE(0),
    /** A request is refused with a transient fault, such as 429, 500 or 503; the client repeats it. Per request. */
    BUSY(0.1),
    /** A feed returns to an earlier position and repeats some changes. Per batch. */
    REPEATED_CHANGES(0.2),
    /** A feed ends after it has read changes and before it has delivered them. Per batch. */
    BROKEN_FEED(0.2),
    /** The replication of a document takes up to ten seconds. Per document. */
    SLOW_REPLICATION(0.3),
    /** Some branches of a document are replicated before the others. Per document. */
    PARTIAL_REPLICATION(0.2),
    /** A server is down for up to five seconds, and keeps its data. Per server and second. */
    CRASH(0.1),
    /** Some servers are cut off from the others for up to ten seconds. Per second. */
    CUT(0.1);

    private final double usual;

    CouchFault(double usual) {
        this.usual = usual;
    }

    /** The usual weight of the fault. */
    double usual() {
        return usual;
    }
}
