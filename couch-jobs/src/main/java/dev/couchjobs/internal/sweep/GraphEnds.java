package dev.couchjobs.internal.sweep;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.dependencies.GraphKeys;
import dev.couchjobs.internal.dependencies.GraphRows;
import dev.couchjobs.internal.job.DependencyState;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.loop.GuardedExecutor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Finds out for one transaction which graphs have ended. A graph of which this is said has no job that is pending or
 * running, or the transaction does not commit.
 *
 * <p>It follows open members from the last graph that one has joined. A graph that it finds without open members is
 * marked as ended, so no later search goes there again, and a search that has to stop goes on where it was.
 */
final class GraphEnds {
    /** Keeps a transaction far from the limit of five seconds. */
    private static final int STEPS_MAX = 200;

    private final Transaction tx;
    private final Keyspace keyspace;
    private final GraphKeys graphs;
    private final Map<Long, Boolean> known = new HashMap<>();
    private int steps;

    GraphEnds(Transaction tx, Keyspace keyspace) {
        this.tx = tx;
        this.keyspace = keyspace;
        this.graphs = GraphKeys.of(keyspace);
    }

    /** {@return the ids of the jobs that must stay because their graphs have not ended, or may not have} */
    CompletableFuture<List<String>> staying(Map<String, JobRow> jobs) {
        List<Map.Entry<String, JobRow>> members = jobs.entrySet().stream()
                .filter(job -> GraphRows.graphOf(job.getValue()) != DependencyState.NO_GRAPH)
                .toList();
        return staying(members, 0, new ArrayList<>());
    }

    private CompletableFuture<List<String>> staying(
            List<Map.Entry<String, JobRow>> members, int done, List<String> staying) {
        if (done == members.size()) {
            return CompletableFuture.completedFuture(staying);
        }
        Map.Entry<String, JobRow> member = members.get(done);
        return hasEnded(GraphRows.graphOf(member.getValue()))
                .thenComposeAsync(
                        hasEnded -> {
                            if (!hasEnded) {
                                staying.add(member.getKey());
                            }
                            return staying(members, done + 1, staying);
                        },
                        GuardedExecutor.of(tx));
    }

    private CompletableFuture<Boolean> hasEnded(long graph) {
        Boolean before = known.get(graph);
        if (before != null) {
            return CompletableFuture.completedFuture(before);
        }
        return GraphRows.root(tx, graphs, graph).thenCompose(root -> {
            Boolean ofRoot = known.get(root);
            CompletableFuture<Boolean> found =
                    ofRoot == null ? hasNoOpenMember(root) : CompletableFuture.completedFuture(ofRoot);
            return found.thenApply(hasEnded -> {
                known.put(root, hasEnded);
                known.put(graph, hasEnded);
                return hasEnded;
            });
        });
    }

    private CompletableFuture<Boolean> hasNoOpenMember(long graph) {
        if (steps++ >= STEPS_MAX) {
            return CompletableFuture.completedFuture(false);
        }
        return GraphRows.openMember(tx, graphs, graph)
                .thenComposeAsync(
                        member -> member.isEmpty()
                                ? CompletableFuture.completedFuture(true)
                                : hasEnded(graph, member.get())
                                        .thenCompose(hasEnded -> hasEnded
                                                ? hasNoOpenMember(graph)
                                                : CompletableFuture.completedFuture(false)),
                        GuardedExecutor.of(tx));
    }

    private CompletableFuture<Boolean> hasEnded(long graph, GraphRows.Member member) {
        if (member.graph() != DependencyState.NO_GRAPH) {
            return hasNoOpenMember(member.graph()).thenApply(hasEnded -> {
                if (hasEnded) {
                    GraphRows.mark(tx, graphs, member.graph(), graph, true);
                }
                return hasEnded;
            });
        }
        String type = Keyspace.typeName(member.job(), 0);
        String id = Keyspace.jobId(member.job(), 1);
        return JobTable.find(tx, keyspace.job(type, id)).thenApply(job -> {
            boolean isMember = job.filter(row -> row.state() != JobState.FINISHED && GraphRows.graphOf(row) == graph)
                    .isPresent();
            if (!isMember) { // the job was damaged, and removed without being read
                tx.clear(member.key());
            }
            return !isMember;
        });
    }
}
