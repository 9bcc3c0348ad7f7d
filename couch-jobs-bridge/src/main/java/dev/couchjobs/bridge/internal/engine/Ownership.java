package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.NodeTakenException;
import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.couch.Written;
import dev.couchjobs.internal.loop.Loop;
import dev.couchjobs.internal.loop.Pause;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sees to it that one ledger works for a node's name. A document in CouchDB, the mark, names the ledger. The bridge writes the
 * mark where there is none, and goes on only while the version that CouchDB shows names its own ledger. CouchDB shows the same
 * version of a conflict everywhere, so of two bridges that have marked two replicas one stops. Why this is enough is in
 * {@code docs/decisions/0018-one-ledger-for-a-name.md}.
 */
public final class Ownership implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Ownership.class);

    private static final String MARK = "couch-jobs-owner-";
    private static final String OWNER = "owner";
    private static final String PLACE = "place";
    /** The feed tells of each change of the mark, but not of a database that was replaced by one without a mark. */
    private static final Duration LOOK_EVERY = Duration.ofMinutes(1);

    private static final Duration AFTER_CONFLICT = Duration.ofMillis(100);

    private final BridgeContext context;
    private final String place;
    private final Loop loop;
    private final CompletableFuture<Void> confirmed = new CompletableFuture<>();
    private final CompletableFuture<NodeTakenException> lost = new CompletableFuture<>();
    private final AtomicBoolean hasComplained = new AtomicBoolean();

    /** @param place where the ledger is, for people */
    Ownership(BridgeContext context, String place) {
        this.context = context;
        this.place = place;
        this.loop = new Loop(
                "owner of " + context.node(),
                context.environment(),
                context.database().getExecutor(),
                this::round);
    }

    /** {@return the id of the document with a node's mark} */
    public static String mark(String node) {
        return MARK + node;
    }

    /** Begins to look, or looks again. */
    void look() {
        loop.poke();
    }

    /** {@return completes when the mark names this node's ledger, or may not be written at all} */
    CompletableFuture<Void> confirmed() {
        return confirmed;
    }

    /** {@return completes when the mark names another ledger} */
    CompletableFuture<NodeTakenException> lost() {
        return lost;
    }

    @Override
    public void close() {
        loop.close();
    }

    private CompletableFuture<Pause> round() {
        return context.run(
                        "identify",
                        tx -> context.ledger()
                                .identity(tx, context.environment().random()))
                .thenCompose(ledger -> context.couch()
                        .read(List.of(mark(context.node())))
                        .thenCompose(stored -> see(ledger, stored.get(0))));
    }

    private CompletableFuture<Pause> see(String ledger, StoredDocument stored) {
        if (stored.current().isEmpty()) {
            return write(ledger);
        }
        Leaf shown = stored.current().get();
        if (!shown.body().path(OWNER).asString("").equals(ledger)) {
            lost.complete(taken(shown));
            return CompletableFuture.completedFuture(Pause.untilPoked());
        }
        confirmed.complete(null);
        return withoutLosers(stored).thenApply(done -> Pause.atMost(LOOK_EVERY));
    }

    private CompletableFuture<Pause> write(String ledger) {
        // Nothing in it changes from one start to the next: the same mark on two replicas is no conflict.
        ObjectNode mark = JsonNodeFactory.instance
                .objectNode()
                .put("_id", mark(context.node()))
                .put("type", "couch-jobs-owner")
                .put("node", context.node())
                .put(OWNER, ledger)
                .put(PLACE, place);
        return context.couch().write(List.of(mark)).thenApply(written -> {
            if (written.get(0) instanceof Written.Conflict) {
                return Pause.atMost(AFTER_CONFLICT); // another bridge was first, or the answer to an earlier write was lost
            }
            if (written.get(0) instanceof Written.Refused refused) {
                complain(refused);
            }
            confirmed.complete(null);
            return Pause.atMost(LOOK_EVERY);
        });
    }

    /** A mark that has lost would show again once the one that has won is deleted. */
    private CompletableFuture<?> withoutLosers(StoredDocument stored) {
        List<ObjectNode> losers = stored.leaves().stream()
                .skip(1)
                .map(leaf -> JsonNodeFactory.instance
                        .objectNode()
                        .put("_id", stored.id())
                        .put("_rev", leaf.revision())
                        .put("_deleted", true))
                .toList();
        return losers.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : context.couch().write(losers);
    }

    private void complain(Written.Refused refused) {
        if (hasComplained.compareAndSet(false, true)) {
            LOG.warn(
                    "Node {}: CouchDB does not take the document {} ({}: {}), so a second bridge of this name will not be"
                            + " noticed",
                    context.node(),
                    mark(context.node()),
                    refused.error(),
                    OneLine.of(refused.reason()));
        }
    }

    private NodeTakenException taken(Leaf shown) {
        return new NodeTakenException("another bridge has the name " + context.node() + ": the document "
                + mark(context.node()) + " says that it keeps what it knows in "
                + OneLine.of(shown.body().path(PLACE).asString("an unknown place")) + ". This one keeps it in " + place
                + ". One bridge runs for each name; give this one a name of its own. If the other has ended for good, or its"
                + " directory is lost, delete revision " + shown.revision() + " of that document and start this one");
    }
}
