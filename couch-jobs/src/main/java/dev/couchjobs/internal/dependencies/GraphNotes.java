package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.job.DependencyState;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Notes;
import java.util.List;

/** The changes of graphs in a transaction that no row of a job shows. */
final class GraphNotes extends Notes<GraphChange> {
    private GraphNotes() {}

    private static GraphNotes of(Transaction tx) {
        return JobStore.state(tx, GraphNotes.class, GraphNotes::new);
    }

    /** Notes that a job is not expected any more in a graph. */
    static void leave(Transaction tx, JobRef ref, long graph) {
        if (graph != DependencyState.NO_GRAPH) {
            of(tx).add(GraphChange.left(ref, graph));
        }
    }

    /** Notes that a job waits for jobs of two graphs. */
    static void unite(Transaction tx, JobRef ref, long graph, long other) {
        of(tx).add(new GraphChange(GraphKeys.of(ref.keys().keyspace()), GraphChange.Kind.UNITED, graph, other));
    }

    /** {@return what was noted in a transaction since the last call} */
    static List<GraphChange> take(Transaction tx) {
        return JobStore.stateOf(tx, GraphNotes.class).map(each -> each.take()).orElse(List.of());
    }
}
