package dev.couchjobs.server.internal.api;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.bridge.BridgeNode;
import dev.couchjobs.bridge.BridgeNodes;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.BridgeJson;
import dev.couchjobs.server.internal.json.Fields;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** The nodes of a bridge to CouchDB, their settings and their documents. */
public final class BridgeOperations {
    /** What lets commands do more, connects the node elsewhere, ends its steps, or may let steps begin twice. */
    private static final List<String> OF_ADMINS =
            List.of("claimTimeout", "heartbeat", "server", "database", "memoryLimit", "processorLimit");

    private final BridgeNodes nodes;

    public BridgeOperations(BridgeNodes nodes) {
        this.nodes = nodes;
    }

    public void bind(Operations operations) {
        operations.read(
                "listBridgeNodes",
                (call, tx) -> Replies.ok(
                        nodes.all(tx),
                        all -> new Fields()
                                .putAll("items", all, BridgeJson::node)
                                .node()));
        operations.read(
                "getBridgeNode",
                (call, tx) -> Replies.found(nodes.find(tx, node(call)), BridgeJson::node, "such node"));
        operations.write("removeBridgeNode", (call, tx) -> Replies.changed(nodes.remove(tx, node(call))));
        operations.read("getBridgeSettings", this::settings);
        operations.write("changeBridgeSettings", this::change);
        operations.read(
                "listBridgeDocuments",
                (call, tx) -> nodes.documents(tx, node(call), call.page())
                        .thenCompose(page -> Replies.page(
                                CompletableFuture.completedFuture(
                                        page.orElseThrow(() -> Replies.notFound("such node"))),
                                BridgeJson::document)));
        operations.read(
                "getBridgeDocument",
                (call, tx) -> Replies.found(
                        nodes.document(tx, node(call), call.id()), BridgeJson::document, "such document"));
    }

    private static String node(Call call) {
        return call.part("node");
    }

    private CompletableFuture<Reply> settings(Call call, ReadTransactionContext tx) {
        return Replies.found(nodes.find(tx, node(call)), BridgeOperations::wanted, "such node");
    }

    private static JsonNode wanted(BridgeNode node) {
        return BridgeJson.wanted(node.wantedRevision(), node.wanted());
    }

    private CompletableFuture<Reply> change(Call call, TransactionContext context) {
        requireRole(call);
        return context.runAsync(tx -> nodes.change(
                        tx, node(call), settings -> BridgeJson.changed(settings, call.body()))
                .thenCompose(revision -> revision.isEmpty()
                        ? CompletableFuture.failedFuture(Replies.notFound("such node"))
                        : settings(call, tx)));
    }

    private static void requireRole(Call call) {
        OF_ADMINS.stream()
                .filter(field -> call.body().has(field) && !call.access().has(Role.ADMIN))
                .findFirst()
                .ifPresent(field -> {
                    throw new ProblemException(Problem.of(403, "forbidden", "The caller may not do this.")
                            .detail("It needs the role admin for " + field + "."));
                });
    }
}
