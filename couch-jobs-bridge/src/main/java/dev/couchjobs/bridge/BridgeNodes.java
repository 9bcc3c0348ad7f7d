package dev.couchjobs.bridge;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.bridge.internal.nodes.NodeReport;
import dev.couchjobs.bridge.internal.nodes.NodeRows;
import dev.couchjobs.bridge.internal.nodes.WantedSettings;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/**
 * The nodes of the bridges that use one prefix of a database, from any process that has the database open. Nodes that
 * replicate and have directories of their own are seen one by one. Thread-safe.
 */
public final class BridgeNodes {
    /** The prefix of a {@code bridge.toml} without one. */
    public static final String PREFIX = "couch-jobs-bridge";

    /** The time without a report after which a node is silent. */
    private static final Duration SILENT_AFTER = Duration.ofMinutes(1);

    private static final long VERSIONS_PER_SECOND = 1_000_000;

    private final NodeRows rows;

    private BridgeNodes(NodeRows rows) {
        this.rows = rows;
    }

    /**
     * {@return the nodes of the bridges under a prefix}
     *
     * @param database the database of their jobs
     * @param prefix their {@code engine.prefix}
     */
    public static BridgeNodes on(Database database, String prefix) {
        Objects.requireNonNull(database, "database");
        return new BridgeNodes(new NodeRows(Objects.requireNonNull(prefix, "prefix")));
    }

    /**
     * Reads all nodes.
     *
     * @param context the database or a transaction
     * @return the nodes that have ever reported, by name
     */
    public CompletableFuture<List<BridgeNode>> all(ReadTransactionContext context) {
        return context.readAsync(tx -> {
            var wanted = rows.wanted(tx);
            var version = tx.getReadVersion();
            return rows.reports(tx)
                    .thenCompose(reports -> wanted.thenCombine(
                            version,
                            (settings, now) -> reports.entrySet().stream()
                                    .map(report -> node(
                                            report.getKey(),
                                            report.getValue(),
                                            settings.getOrDefault(report.getKey(), WantedSettings.NONE),
                                            now))
                                    .toList()));
        });
    }

    /**
     * Reads a node.
     *
     * @param context the database or a transaction
     * @param node its name
     * @return the node; empty if none of this name has ever reported
     */
    public CompletableFuture<Optional<BridgeNode>> find(ReadTransactionContext context, String node) {
        return context.readAsync(tx -> find(tx, node));
    }

    private CompletableFuture<Optional<BridgeNode>> find(ReadTransaction tx, String node) {
        var wanted = rows.wanted(tx, node);
        var version = tx.getReadVersion();
        return rows.report(tx, node)
                .thenCompose(report -> wanted.thenCombine(
                        version, (settings, now) -> report.map(found -> node(node, found, settings, now))));
    }

    /**
     * Changes the settings that are wanted for a node. Its bridge applies them within moments, or when it starts. If it
     * cannot, it keeps those that it has, and its faults contain the reason.
     *
     * @param context the database or a transaction
     * @param node its name
     * @param change returns the settings, given those that are wanted at present; may be called several times
     * @return the revision of the wanted settings; empty if no node of this name has ever reported. Fails with an {@link
     *     IllegalArgumentException} if the node has no such server or kind of work items
     */
    public CompletableFuture<Optional<Long>> change(
            TransactionContext context, String node, UnaryOperator<BridgeSettings> change) {
        return context.runAsync(tx -> rows.report(tx, node).thenCompose(report -> {
            if (report.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            return rows.wanted(tx, node).thenApply(before -> {
                BridgeSettings settings = change.apply(before.settings());
                check(settings, report.get());
                if (settings.equals(before.settings())) {
                    return Optional.of(before.revision());
                }
                rows.want(tx, node, new WantedSettings(before.revision() + 1, settings));
                return Optional.of(before.revision() + 1);
            });
        }));
    }

    private static void check(BridgeSettings settings, NodeReport report) {
        settings.server().filter(name -> !report.servers().contains(name)).ifPresent(name -> {
            throw new IllegalArgumentException(
                    "server: couchdb.others of the node's file has no " + name + "; it has " + report.servers());
        });
        var kinds = report.state().settings().concurrency().keySet();
        settings.concurrency().keySet().stream()
                .filter(kind -> !kinds.contains(kind))
                .findFirst()
                .ifPresent(kind -> {
                    throw new IllegalArgumentException(
                            "concurrency: work_items of the node's file has no " + kind + "; it has " + kinds);
                });
    }

    /**
     * Removes what is known of a node that is gone for good, with its wanted settings.
     *
     * @param context the database or a transaction
     * @param node its name
     * @return whether it was there and is not running
     */
    public CompletableFuture<Boolean> remove(TransactionContext context, String node) {
        return context.runAsync(tx -> find(tx, node).thenApply(found -> {
            boolean isGone =
                    found.filter(one -> one.state() != BridgeNode.State.RUNNING).isPresent();
            if (isGone) {
                rows.remove(tx, node);
            }
            return isGone;
        }));
    }

    private static BridgeNode node(String name, NodeReport report, WantedSettings wanted, long version) {
        NodeReport.RunState state = report.state();
        return new BridgeNode(
                name,
                state(report, version),
                report.process(),
                report.bridgeVersion(),
                report.startedAt(),
                report.reportedAt(),
                state.address(),
                state.isConnected(),
                report.position(),
                state.settings(),
                wanted.settings(),
                wanted.revision(),
                report.appliedRevision(),
                state.faults(),
                state.steps(),
                state.running(),
                state.resources());
    }

    private static BridgeNode.State state(NodeReport report, long version) {
        if (report.hasEnded()) {
            return BridgeNode.State.ENDED;
        }
        long seconds = (version - report.version()) / VERSIONS_PER_SECOND;
        return seconds <= SILENT_AFTER.toSeconds() ? BridgeNode.State.RUNNING : BridgeNode.State.SILENT;
    }
}
