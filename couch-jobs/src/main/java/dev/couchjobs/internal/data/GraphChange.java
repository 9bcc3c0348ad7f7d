package dev.couchjobs.internal.data;

/**
 * A change of a graph that the end of a verb settles, because it needs reads.
 *
 * @param keys the keys of the graphs
 * @param kind what has changed
 * @param graph the graph
 * @param other the graph with which it is united; otherwise none
 */
public record GraphChange(GraphKeys keys, Kind kind, long graph, long other) {
    /** What has changed, in the order in which changes are settled. */
    public enum Kind {
        /** A job waits for jobs of both graphs. */
        UNITED,
        /** The graph has a further member that has not ended. */
        OPENED,
        /** A job has left the graph. */
        LEFT
    }
}
