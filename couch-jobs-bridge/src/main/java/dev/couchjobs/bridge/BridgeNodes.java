package dev.couchjobs.bridge;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.bridge.internal.document.NodeDirectory;
import dev.couchjobs.bridge.internal.engine.StoreExplainer;
import dev.couchjobs.bridge.internal.nodes.NodeDocuments;
import dev.couchjobs.bridge.internal.nodes.NodeReport;
import dev.couchjobs.bridge.internal.nodes.NodeRows;
import dev.couchjobs.bridge.internal.nodes.WantedSettings;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.loop.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
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

    private static final Duration TIME_MIN = Duration.ofSeconds(1);
    private static final Duration HEARTBEAT_MAX = Duration.ofDays(1);
    private static final Duration CLAIM_TIMEOUT_MAX = Duration.ofDays(365);

    private static final long VERSIONS_PER_SECOND = 1_000_000;

    private final Database database;
    private final String prefix;
    private final NodeRows rows;

    /** The jobs of each store. They are only read, which needs nothing to be closed. */
    private final Map<Subspace, CouchJobs> jobs = new ConcurrentHashMap<>();

    private BridgeNodes(Database database, String prefix) {
        this.database = database;
        this.prefix = prefix;
        this.rows = new NodeRows(prefix);
    }

    /**
     * {@return the nodes of the bridges under a prefix}
     *
     * @param database the database of their jobs
     * @param prefix their {@code engine.prefix}
     */
    public static BridgeNodes on(Database database, String prefix) {
        return new BridgeNodes(Objects.requireNonNull(database, "database"), Objects.requireNonNull(prefix, "prefix"));
    }

    /**
     * Reads all nodes.
     *
     * @param context the database or a transaction
     * @return the nodes that have ever reported, by name
     */
    public CompletableFuture<List<BridgeNode>> all(ReadTransactionContext context) {
        return BridgeContext.read(context, "list nodes", tx -> {
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
        return BridgeContext.read(context, "read a node", tx -> find(tx, node));
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
     * @return the revision of the wanted settings; empty if no node of this name has ever reported. Fails with an
     *     {@link IllegalArgumentException} if the node has no such server or kind of work items, or a time is too short
     *     or too long
     */
    public CompletableFuture<Optional<Long>> change(
            TransactionContext context, String node, UnaryOperator<BridgeSettings> change) {
        return BridgeContext.run(
                context,
                "change a node",
                tx -> rows.report(tx, node).thenCompose(report -> {
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
        settings.heartbeat().ifPresent(time -> checkTime("heartbeat", time, HEARTBEAT_MAX));
        settings.claimTimeout().ifPresent(time -> checkTime("claimTimeout", time, CLAIM_TIMEOUT_MAX));
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

    private static void checkTime(String name, Duration time, Duration most) {
        if (time.compareTo(TIME_MIN) < 0 || time.compareTo(most) > 0) {
            throw new IllegalArgumentException(name + " is from " + DurationText.of(TIME_MIN) + " to "
                    + DurationText.of(most) + ", not " + DurationText.of(time));
        }
    }

    /**
     * Removes what is known of a node that is gone for good, with its wanted settings.
     *
     * @param context the database or a transaction
     * @param node its name
     * @return whether it was there and is not running
     */
    public CompletableFuture<Boolean> remove(TransactionContext context, String node) {
        return BridgeContext.run(
                context,
                "remove a node",
                tx -> find(tx, node)
                        .thenCompose(found -> found.filter(one -> one.state() != BridgeNode.State.RUNNING)
                                        .isPresent()
                                ? rows.remove(tx, node).thenApply(done -> true)
                                : CompletableFuture.completedFuture(false)));
    }

    /**
     * Lists the job documents in the store of a node, by id. Nodes that share a cluster have one store; each of those
     * that replicate has its own.
     *
     * @param context the database or a transaction
     * @param node its name
     * @param page which documents; fewer if they are large, and always by id
     * @return the documents; empty if no node of this name has ever reported
     */
    public CompletableFuture<Optional<Page<BridgeDocument>>> documents(
            ReadTransactionContext context, String node, PageRequest page) {
        return inStore(
                context,
                node,
                (tx, documents) -> documents
                        .page(tx, page.after(), page.limit())
                        .thenApply(found -> {
                            List<BridgeDocument> items = found.items().stream()
                                    .map(documents::document)
                                    .toList();
                            Optional<String> next = found.hasMore()
                                    ? Optional.of(items.get(items.size() - 1).id())
                                    : Optional.empty();
                            return Optional.of(new Page<>(items, next));
                        }));
    }

    /**
     * Reads a job document from the store of a node, with what it waits for there.
     *
     * @param context the database or a transaction
     * @param node its name
     * @param id the document's id
     * @return the document; empty if the store does not have it, or no node of this name has ever reported
     */
    public CompletableFuture<Optional<BridgeDocument>> document(
            ReadTransactionContext context, String node, String id) {
        return inStore(
                context,
                node,
                (tx, documents) -> documents
                        .find(tx, id)
                        .thenCompose(found -> found.isEmpty()
                                ? CompletableFuture.completedFuture(found)
                                : documents.explain(tx, id).thenApply(what -> found.map(one -> one.waitingFor(what)))));
    }

    private <T> CompletableFuture<Optional<T>> inStore(
            ReadTransactionContext context,
            String node,
            BiFunction<ReadTransaction, NodeDocuments, CompletableFuture<Optional<T>>> read) {
        return BridgeContext.read(
                context,
                "read documents",
                tx -> rows.report(tx, node)
                        .thenCompose(report -> report.isEmpty()
                                ? CompletableFuture.completedFuture(Optional.empty())
                                : read.apply(tx, documents(node, report.get()))));
    }

    private NodeDocuments documents(String node, NodeReport report) {
        NodeReport.StorePlace place = report.store();
        Subspace root = new Subspace(place.isShared() ? Tuple.from(prefix) : Tuple.from(prefix, node));
        BridgeStore store = new BridgeStore(root.subspace(Tuple.from("store")));
        StoreExplainer.Source source = new StoreExplainer.Source(
                node,
                NodeDirectory.of(place.nodes(), place.groups()),
                store,
                jobs.computeIfAbsent(
                        root, at -> CouchJobs.builder(database).subspace(at).build()),
                place.feedName());
        int workers = report.state().settings().workers().orElse(0);
        return new NodeDocuments(store, new StoreExplainer(source, () -> workers));
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
