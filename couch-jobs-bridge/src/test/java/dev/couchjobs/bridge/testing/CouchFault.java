package dev.couchjobs.bridge.testing;

/**
 * What can go wrong with the servers of a {@link ModelCouch}. The weight of a fault is the probability that it strikes:
 * at each step that it can strike, or at each server, or the network, in each second.
 */
public enum CouchFault {
    /** A request takes its time to arrive, up to three seconds. Per request. */
    SLOW_REQUEST(0.3),
    /** An answer takes its time, up to three seconds, and is overtaken by others. Per answer. */
    SLOW_REPLY(0.3),
    /** A request does not arrive, or so late that nobody waits for its answer; it is sent again. Per request. */
    LOST_REQUEST(0.1),
    /**
     * What was asked for has been done, all or part of it, and the answer is lost; it is asked for again. So a writer
     * meets the conflict that his own write makes. Per answer.
     */
    LOST_REPLY(0.1),
    /**
     * Whoever has lost an answer is told that it failed, instead of asking again. {@code CouchDatabase} promises that
     * nothing fails that might not fail again, so this strikes only if it is asked for. Per lost answer.
     */
    FAILURE(0),
    /** A request is refused for now, as by 429, 500 or 503; it is sent again. Per request. */
    BUSY(0.1),
    /** A feed goes back to where it has been, and tells some changes again. Per batch. */
    REPEATED_CHANGES(0.2),
    /** A feed breaks off when it has read and before it has told. Per batch. */
    BROKEN_FEED(0.2),
    /** A document takes its time from one database to the other, up to ten seconds. Per document. */
    SLOW_REPLICATION(0.3),
    /** Some branches of a document are replicated, and the others only later. Per document. */
    PARTIAL_REPLICATION(0.2),
    /** A server is gone for up to five seconds and then has all that it had. Per server and second. */
    CRASH(0.1),
    /** Some servers cannot be reached by the others for up to ten seconds. Per second. */
    CUT(0.1);

    private final double usual;

    CouchFault(double usual) {
        this.usual = usual;
    }

    /** The weight of it where it is frequent, unless somebody sets another. */
    double usual() {
        return usual;
    }
}
