package dev.couchjobs.internal.dependencies;

import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.job.DependencyState;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.JobRef;
import java.util.List;

/**
 * A change of a graph that the end of a verb settles, because it needs reads.
 *
 * @param keys the keys of the graphs
 * @param kind what has changed
 * @param graph the graph
 * @param other the graph with which it is united; otherwise none
 */
record GraphChange(GraphKeys keys, Kind kind, long graph, long other) {
    /** What has changed, in the order in which changes are settled. */
    enum Kind {
        /** A job waits for jobs of both graphs. */
        UNITED,
        /** The graph has a further member that has not ended. */
        OPENED,
        /** A job has left the graph. */
        LEFT
    }

    /** Adds that a job has opened or left a graph by the change of its row, or both, if so. */
    static void addTo(List<GraphChange> changes, SavedChange change) {
        JobRow before = change.indexed();
        JobRow after = change.after();
        long was = GraphRows.graphOf(before);
        long is = GraphRows.graphOf(after);
        boolean isOpen = is != DependencyState.NO_GRAPH && !GraphRows.hasEnded(after);
        if (isOpen && (was != is || GraphRows.hasEnded(before))) {
            changes.add(opened(change.ref(), is));
        }
        if (was != DependencyState.NO_GRAPH && was != is) {
            changes.add(left(change.ref(), was));
        }
    }

    private static GraphChange opened(JobRef ref, long graph) {
        return new GraphChange(GraphKeys.of(ref.keys().keyspace()), Kind.OPENED, graph, DependencyState.NO_GRAPH);
    }

    static GraphChange left(JobRef ref, long graph) {
        return new GraphChange(GraphKeys.of(ref.keys().keyspace()), Kind.LEFT, graph, DependencyState.NO_GRAPH);
    }
}
