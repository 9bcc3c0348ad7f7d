package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.FollowUp;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.feature.Settler;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.DependencyState;
import dev.couchjobs.loop.GuardedExecutor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Settles the graphs that a transaction has changed. Of two graphs that are united the one with the lower number joins
 * the other. The numbers are random, so the way from a graph to the last one grows with the logarithm of the unions.
 */
public final class GraphSettlement implements Settler {
    @Override
    public CompletableFuture<?> settle(Transaction tx, List<SavedChange> saved, FollowUp followUp) {
        List<GraphChange> noted = new ArrayList<>(GraphNotes.take(tx));
        for (SavedChange change : saved) {
            GraphChange.addTo(noted, change);
        }
        if (noted.isEmpty()) {
            return NOTHING;
        }
        List<GraphChange> changes = noted.stream()
                .distinct()
                .sorted(Comparator.comparing(GraphChange::kind))
                .toList();
        List<byte[]> graphs = changes.stream().map(each -> each.keys().prefix()).toList();
        return JobStore.of(tx)
                .inOrder(graphs, () -> prefetch(tx, changes).thenCompose(known -> settle(tx, changes, 0)));
    }

    /** Reads at once what most changes ask for: the client knows it from then on. */
    private static CompletableFuture<?> prefetch(Transaction tx, List<GraphChange> changes) {
        return Futures.allOf(changes.stream()
                .flatMap(change -> LongStream.of(change.graph(), change.other())
                        .filter(graph -> graph != DependencyState.NO_GRAPH)
                        .mapToObj(graph -> GraphRows.parent(tx, change.keys(), graph)))
                .toList());
    }

    private static CompletableFuture<@Nullable Void> settle(Transaction tx, List<GraphChange> changes, int done) {
        return done == changes.size()
                ? CompletableFuture.completedFuture(null)
                : settle(tx, changes.get(done))
                        .thenComposeAsync(next -> settle(tx, changes, done + 1), GuardedExecutor.of(tx));
    }

    private static CompletableFuture<@Nullable Void> settle(Transaction tx, GraphChange change) {
        return switch (change.kind()) {
            case UNITED -> unite(tx, change.keys(), change.graph(), change.other());
            case OPENED -> open(tx, change.keys(), change.graph());
            case LEFT -> leave(tx, change.keys(), change.graph());
        };
    }

    private static CompletableFuture<@Nullable Void> unite(Transaction tx, GraphKeys graphs, long graph, long other) {
        return GraphRows.root(tx, graphs, graph).thenCombine(GraphRows.root(tx, graphs, other), (first, second) -> {
            if (!first.equals(second)) {
                GraphRows.join(tx, graphs, Math.min(first, second), Math.max(first, second));
            }
            return null;
        });
    }

    /** Opens the graphs above one that has an open member, up to the first that is open. */
    private static CompletableFuture<@Nullable Void> open(Transaction tx, GraphKeys graphs, long graph) {
        return GraphRows.parent(tx, graphs, graph)
                .thenCompose(parent -> parent == DependencyState.NO_GRAPH
                        ? CompletableFuture.completedFuture(null)
                        : GraphRows.isOpen(tx, graphs, graph, parent).thenCompose(isOpen -> {
                            if (isOpen) {
                                return CompletableFuture.completedFuture(null);
                            }
                            GraphRows.mark(tx, graphs, graph, parent, false);
                            return open(tx, graphs, parent);
                        }));
    }

    /** Removes a graph without members from the one that it has joined. If it has joined none, it has no row then. */
    private static CompletableFuture<@Nullable Void> leave(Transaction tx, GraphKeys graphs, long graph) {
        return GraphRows.parent(tx, graphs, graph)
                .thenCompose(parent -> parent == DependencyState.NO_GRAPH
                        ? CompletableFuture.completedFuture(null)
                        : GraphRows.hasMembers(tx, graphs, graph).thenCompose(hasMembers -> {
                            if (hasMembers) {
                                return CompletableFuture.completedFuture(null);
                            }
                            GraphRows.leave(tx, graphs, graph, parent);
                            return leave(tx, graphs, parent);
                        }));
    }
}
