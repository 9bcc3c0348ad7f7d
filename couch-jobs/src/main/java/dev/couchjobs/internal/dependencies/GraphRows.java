package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.job.DependencyState;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.IndexKey;
import dev.couchjobs.internal.rows.JobRef;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The {@code graph} rows: which jobs are connected by dependencies, and which of them have not ended (rfc/013).
 *
 * <p>A job's own row names its graph, and no other transaction changes that. Graphs that a job connects are united: the
 * one joins the other as a member. A graph has ended when none of its members is open. The row of a joined graph is
 * open while one of its own members may be open: who opens a member opens the graphs above it as well, and who finds
 * all members ended may mark the graph as ended, in conflict with the other.
 */
public final class GraphRows {
    private static final byte[] EMPTY = {};

    private GraphRows() {}

    /** {@return the graph of a job} */
    public static long graphOf(@Nullable JobRow job) {
        return job == null
                ? DependencyState.NO_GRAPH
                : job.options().dependencies().graph();
    }

    /** {@return whether a job is gone or has ended} */
    public static boolean hasEnded(@Nullable JobRow job) {
        return job == null || job.state() == JobState.FINISHED;
    }

    /** Moves the rows of jobs. */
    public static void write(Changes changes) {
        for (SavedChange change : changes.all()) {
            replace(changes.tx(), change.ref(), change.indexed(), change.after());
        }
    }

    private static void replace(Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
        if (graphOf(before) != DependencyState.NO_GRAPH || graphOf(after) != DependencyState.NO_GRAPH) {
            GraphKeys graphs = GraphKeys.of(ref.keys().keyspace());
            IndexKey.move(tx, key(graphs, ref, before), key(graphs, ref, after));
        }
    }

    private static Optional<byte[]> key(GraphKeys graphs, JobRef ref, @Nullable JobRow job) {
        return graphOf(job) == DependencyState.NO_GRAPH
                ? Optional.empty()
                : Optional.of(graphs.job(graphOf(job), ref, hasEnded(job)));
    }

    /** Writes the row of a job that does not exist: it keeps its place in the graph until it is added. */
    public static void expect(Transaction tx, JobRef ref, long graph) {
        if (graph != DependencyState.NO_GRAPH) {
            tx.set(GraphKeys.of(ref.keys().keyspace()).expected(graph, ref), EMPTY);
        }
    }

    /** Removes the row of a job that is added, or for which no job waits any more. */
    public static void expectNoMore(Transaction tx, JobRef ref, long graph) {
        if (graph != DependencyState.NO_GRAPH) {
            tx.clear(GraphKeys.of(ref.keys().keyspace()).expected(graph, ref));
        }
    }

    /** {@return the graph that a graph has joined, or {@link DependencyState#NO_GRAPH}} */
    public static CompletableFuture<Long> parent(Transaction tx, GraphKeys graphs, long graph) {
        return tx.get(graphs.parent(graph))
                .thenApply(value -> value == null
                        ? DependencyState.NO_GRAPH
                        : Tuple.fromBytes(value).getLong(0));
    }

    /** {@return the last graph that is reached from one by those that it has joined} */
    public static CompletableFuture<Long> root(Transaction tx, GraphKeys graphs, long graph) {
        return parent(tx, graphs, graph)
                .thenCompose(parent -> parent == DependencyState.NO_GRAPH
                        ? CompletableFuture.completedFuture(graph)
                        : root(tx, graphs, parent));
    }

    /** Lets a graph join another, which has joined none. */
    public static void join(Transaction tx, GraphKeys graphs, long child, long parent) {
        tx.set(graphs.parent(child), Tuple.from(parent).pack());
        tx.set(graphs.child(parent, child, false), EMPTY);
    }

    /** {@return whether a graph is open as a member of another} */
    public static CompletableFuture<Boolean> isOpen(Transaction tx, GraphKeys graphs, long child, long parent) {
        return tx.get(graphs.child(parent, child, false)).thenApply(value -> value != null);
    }

    /** Marks a graph as open or ended as a member of another. */
    public static void mark(Transaction tx, GraphKeys graphs, long child, long parent, boolean hasEnded) {
        tx.clear(graphs.child(parent, child, !hasEnded));
        tx.set(graphs.child(parent, child, hasEnded), EMPTY);
    }

    /** Takes a graph without members out of the one that it has joined. */
    public static void leave(Transaction tx, GraphKeys graphs, long child, long parent) {
        tx.clear(graphs.child(parent, child, false));
        tx.clear(graphs.child(parent, child, true));
        tx.clear(graphs.parent(child));
    }

    /** {@return whether a graph has members, also ended ones} */
    public static CompletableFuture<Boolean> hasMembers(Transaction tx, GraphKeys graphs, long graph) {
        return tx.getRange(graphs.members(graph), 1).asList().thenApply(rows -> !rows.isEmpty());
    }

    /**
     * An open member.
     *
     * @param graph a graph that has joined, or {@link DependencyState#NO_GRAPH}
     * @param job type and id of a job, unless it is a graph
     * @param key the key of its row
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Member(long graph, Tuple job, byte[] key) {
        private static Member decode(GraphKeys graphs, KeyValue row) {
            Tuple member = graphs.member(row.getKey());
            return member.size() == 1
                    ? new Member(member.getLong(0), new Tuple(), row.getKey())
                    : new Member(DependencyState.NO_GRAPH, member, row.getKey());
        }
    }

    /** {@return an open member of a graph, if there is one; conflicts with the first one that comes} */
    public static CompletableFuture<Optional<Member>> openMember(Transaction tx, GraphKeys graphs, long graph) {
        return tx.getRange(graphs.open(graph), 1)
                .asList()
                .thenApply((List<KeyValue> rows) ->
                        rows.stream().map(row -> Member.decode(graphs, row)).findFirst());
    }
}
