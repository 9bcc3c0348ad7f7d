package dev.couchjobs.bridge.internal.intake;

import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.document.DocumentKind;
import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.DocumentWriter;
import dev.couchjobs.bridge.internal.document.NodeDirectory;
import dev.couchjobs.bridge.internal.document.ParsedDocument;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.BridgeTransaction;
import dev.couchjobs.bridge.internal.transaction.DocumentStore;
import dev.couchjobs.bridge.internal.transaction.StepAssignment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Refuses documents that cannot be run: which node reports them, where, and what the store keeps. */
final class RefusedDocuments {
    private static final Logger LOG = LoggerFactory.getLogger(RefusedDocuments.class);

    private static final ObjectNode NOTHING_TO_SAY = JsonNodeFactory.instance.objectNode();

    private final String node;
    private final BridgeStore store;
    private final CouchDatabase couch;
    private final StepAssignment assignment;
    private final NodeDirectory cluster;
    private final DocumentReader reader;
    private final DocumentStore documents;
    private final JobReconciler reconciler;

    RefusedDocuments(
            BridgeContext context, StepAssignment assignment, DocumentStore documents, JobReconciler reconciler) {
        this.node = context.node();
        this.store = context.store();
        this.couch = context.couch();
        this.cluster = context.cluster();
        this.reader = new DocumentReader(cluster);
        this.assignment = assignment;
        this.documents = documents;
        this.reconciler = reconciler;
    }

    /** Refuses a document whose id the store cannot contain. The reason is written to CouchDB directly. */
    void unstorable(BridgeTransaction transaction, StoredDocument stored) {
        Optional<ObjectNode> body = stored.current().map(Leaf::body);
        if (body.isPresent()
                && reader.read(body.get()) instanceof ParsedDocument.Broken broken
                && broken.kind() == DocumentKind.JOB
                && !broken.isEnded()
                && assignment.isAuthorityFor(homeOf(body.get()), false)) {
            transaction.say(() -> LOG.warn(
                    "Node {}: document {} cannot be run: {}",
                    node,
                    OneLine.of(stored.id()),
                    OneLine.of(broken.reason())));
            ObjectNode refused = DocumentWriter.refuse(body.get(), broken.reason());
            transaction.afterwards(() -> {
                var unused = couch.write(List.of(refused));
            });
        }
    }

    /** Refuses a document if this node decides about it. */
    CompletableFuture<Void> broken(
            BridgeTransaction transaction, IncomingDocument incoming, String reason, boolean isEnded) {
        if (isEnded && !incoming.isLive()) {
            return over(transaction, incoming);
        }
        // The deciding node may have refused it before this node received it, unless it did so in the store of both.
        if ((isEnded && !assignment.knowsAll())
                || assignment.isAuthorityFor(home(incoming), incoming.last().isPresent())) {
            return refuse(transaction, incoming, reason, isEnded);
        }
        markInvalid(transaction, incoming);
        return done();
    }

    /** Refuses a document, and writes the reason into it. */
    CompletableFuture<Void> refuse(
            BridgeTransaction transaction, IncomingDocument incoming, String reason, boolean isEnded) {
        String id = incoming.id();
        String home = home(incoming);
        transaction.say(
                () -> LOG.warn("Node {}: document {} cannot be run: {}", node, OneLine.of(id), OneLine.of(reason)));
        if (documents.writes(home)) {
            store.published(transaction.tx(), id, incoming.seen());
        }
        ObjectNode shown = incoming.leaf().body();
        ObjectNode verdict = isEnded
                ? NOTHING_TO_SAY
                : incoming.isLive() ? DocumentWriter.verdict(reason, shown) : DocumentWriter.verdict(reason);
        return refuse(transaction, incoming, verdict);
    }

    /**
     * Says why a version of a document is not the job that has ended. The version keeps its end.
     *
     * @param verdict the fields to add to it
     */
    CompletableFuture<Void> told(
            BridgeTransaction transaction, IncomingDocument incoming, String reason, ObjectNode verdict) {
        String home = home(incoming);
        ObjectNode shown = incoming.leaf().body();
        boolean isTold = shown.path("reason").asString("").contains(reason)
                && (!verdict.has("job_status") || verdict.path("job_status").equals(shown.path("job_status")));
        if (isTold || !assignment.isAuthorityFor(home, true)) {
            return over(transaction, incoming);
        }
        transaction.say(() -> LOG.warn(
                "Node {}: document {} was changed after the end of its job: {}",
                node,
                OneLine.of(incoming.id()),
                OneLine.of(reason)));
        store.published(transaction.tx(), incoming.id(), incoming.seen());
        return refuse(transaction, incoming, verdict);
    }

    /** Refuses a second plan with the id of a job that has ended. The reason is written into the plan. */
    CompletableFuture<Void> lost(BridgeTransaction transaction, IncomingDocument incoming, String reason) {
        ObjectNode shown = incoming.leaf().body();
        if (!assignment.isAuthorityFor(homeOf(shown), true)) {
            return broken(transaction, incoming, reason, true);
        }
        transaction.say(() -> LOG.warn(
                "Node {}: another document with the id {} cannot be run: {}",
                node,
                OneLine.of(incoming.id()),
                OneLine.of(reason)));
        if (documents.writes(home(incoming))) {
            store.published(transaction.tx(), incoming.id(), incoming.seen());
        }
        return refuse(transaction, incoming, DocumentWriter.planRefusal(reason, shown));
    }

    private CompletableFuture<Void> refuse(
            BridgeTransaction transaction, IncomingDocument incoming, ObjectNode verdict) {
        String id = incoming.id();
        String home = home(incoming);
        documents.save(transaction, id, DocumentEntry.refused(verdict, home, incoming.last()));
        documents.send(transaction, id, home);
        reconciler.stopRunning(transaction, id);
        return incoming.isLive()
                ? reconciler.stop(transaction, documents.kept(incoming.entry().orElseThrow()))
                : done();
    }

    /**
     * Stores that a document contains no job and needs no answer. CouchDB keeps it, without its conflicts. A refusal of
     * the same version is kept, because it may not be written yet.
     */
    CompletableFuture<Void> over(BridgeTransaction transaction, IncomingDocument incoming) {
        Optional<String> home = incoming.entry().map(DocumentEntry::home).filter(documents::writes);
        if (home.isEmpty()) {
            return done();
        }
        boolean isSeen = incoming.is(DocumentEntry.DocumentRole.REFUSED) && incoming.isSeen();
        store.published(transaction.tx(), incoming.id(), incoming.seen());
        if (!isSeen) {
            documents.save(
                    transaction, incoming.id(), DocumentEntry.refused(NOTHING_TO_SAY, home.get(), incoming.entry()));
        }
        if (!incoming.losers().isEmpty()) {
            documents.send(transaction, incoming.id(), home.get());
        } else if (!isSeen) {
            store.outbox().keep(transaction.tx(), node, incoming.id());
        }
        return done();
    }

    /** Leaves an invalid document unchanged until the deciding node has refused it. */
    private void markInvalid(BridgeTransaction transaction, IncomingDocument incoming) {
        if (documents.writes(home(incoming))) {
            store.published(transaction.tx(), incoming.id(), incoming.markInvalid());
            store.outbox().keep(transaction.tx(), node, incoming.id());
        }
    }

    private String home(IncomingDocument incoming) {
        return incoming.last()
                .map(DocumentEntry::home)
                .orElseGet(() -> homeOf(incoming.leaf().body()));
    }

    private String homeOf(ObjectNode body) {
        String creator = body.path("creator").asString("");
        return cluster.nodes().contains(creator) ? creator : assignment.homeOfStrangers();
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
