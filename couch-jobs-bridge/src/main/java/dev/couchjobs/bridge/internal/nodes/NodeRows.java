package dev.couchjobs.bridge.internal.nodes;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.bridge.BridgeSettings;
import dev.couchjobs.bridge.internal.store.Chunks;
import java.io.ByteArrayOutputStream;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * The rows of the nodes of one prefix. They are in one place, also if nodes that replicate have stores of their own.
 *
 * <pre>
 * node,   node, chunk   what the node has reported last
 * wanted, node          the settings that a person wants for it
 * </pre>
 */
public final class NodeRows {
    /** A prefix has no more nodes than this: their names are in its configuration. */
    private static final int NODES_MAX = 1_000;

    private final Subspace reports;
    private final Subspace wanted;
    private final ObjectMapper json = JsonMapper.builder().build();

    /** @param prefix the first element of all keys */
    public NodeRows(String prefix) {
        Subspace root = new Subspace(Tuple.from(prefix, "store"));
        this.reports = root.subspace(Tuple.from("node"));
        this.wanted = root.subspace(Tuple.from("wanted"));
    }

    /** {@return the last report of a node} */
    public CompletableFuture<Optional<NodeReport>> report(ReadTransaction tx, String node) {
        return Chunks.read(tx, reports.subspace(Tuple.from(node))).thenApply(bytes -> bytes.map(this::report));
    }

    /** {@return the last reports of all nodes, by name} */
    public CompletableFuture<SortedMap<String, NodeReport>> reports(ReadTransaction tx) {
        return tx.getRange(reports.range(), NODES_MAX).asList().thenApply(rows -> {
            SortedMap<String, ByteArrayOutputStream> chunks = new TreeMap<>();
            rows.forEach(row -> chunks.computeIfAbsent(name(reports, row), node -> new ByteArrayOutputStream())
                    .writeBytes(row.getValue()));
            SortedMap<String, NodeReport> all = new TreeMap<>();
            chunks.forEach((node, bytes) -> all.put(node, report(bytes.toByteArray())));
            return all;
        });
    }

    /** Stores the report of a node, unless another one was stored since the transaction's read version. */
    public void report(Transaction tx, String node, NodeReport report) {
        Subspace place = reports.subspace(Tuple.from(node));
        tx.addReadConflictRange(place.range().begin, place.range().end);
        Chunks.write(tx, place, json.writeValueAsBytes(report));
    }

    /** {@return the settings that are wanted for a node} */
    public CompletableFuture<WantedSettings> wanted(ReadTransaction tx, String node) {
        return tx.get(wanted.pack(node)).thenApply(value -> value == null ? WantedSettings.NONE : wanted(value));
    }

    /** {@return the settings that are wanted, by node} */
    public CompletableFuture<SortedMap<String, WantedSettings>> wanted(ReadTransaction tx) {
        return tx.getRange(wanted.range(), NODES_MAX).asList().thenApply(rows -> {
            SortedMap<String, WantedSettings> all = new TreeMap<>();
            rows.forEach(row -> all.put(name(wanted, row), wanted(row.getValue())));
            return all;
        });
    }

    /** Stores the settings that are wanted for a node. */
    public void want(Transaction tx, String node, WantedSettings settings) {
        tx.set(wanted.pack(node), json.writeValueAsBytes(settings));
    }

    /** {@return completes when the settings of a node are wanted that differ from those at this transaction} */
    public CompletableFuture<Void> watch(Transaction tx, String node) {
        return tx.watch(wanted.pack(node));
    }

    /**
     * Removes the report of a node and the settings that are wanted for it. The revision goes on: if the node comes
     * back, no later settings get a revision that a caller or the node knows for others.
     */
    public CompletableFuture<Void> remove(Transaction tx, String node) {
        tx.clear(reports.range(Tuple.from(node)));
        return wanted(tx, node).thenAccept(before -> {
            if (before.revision() > 0) {
                want(tx, node, new WantedSettings(before.revision() + 1, BridgeSettings.none()));
            }
        });
    }

    private static String name(Subspace place, KeyValue row) {
        return place.unpack(row.getKey()).getString(0);
    }

    private NodeReport report(byte[] value) {
        return json.readValue(value, NodeReport.class);
    }

    private WantedSettings wanted(byte[] value) {
        return json.readValue(value, WantedSettings.class);
    }
}
