package dev.couchjobs.bridge.internal.transaction;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.DocumentWriter;
import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.ParsedDocument;
import dev.couchjobs.bridge.internal.document.Verdict;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
import dev.couchjobs.bridge.internal.transaction.StepAssignment.Kept;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** What is kept of documents: read from the ledger, and written to it with all that goes with it. */
public final class DocumentStore {
    private static final Logger LOG = LoggerFactory.getLogger(DocumentStore.class);

    private final String node;
    private final BridgeStore store;
    private final StepAssignment assignment;
    private final Environment environment;
    /** Of what was accepted once. */
    private final DocumentReader reader;

    private final Duration retention;

    public DocumentStore(BridgeContext context, StepAssignment assignment) {
        this.node = context.node();
        this.store = context.store();
        this.environment = context.environment();
        this.reader = new DocumentReader(context.cluster()).trusting();
        this.retention = context.retention();
        this.assignment = assignment;
    }

    /** {@return what is kept of a document} */
    public CompletableFuture<Optional<DocumentEntry>> find(BridgeTransaction transaction, String id) {
        return store.find(transaction.tx(), id);
    }

    /** {@return what is kept of a job, if it has not ended} */
    public CompletableFuture<Optional<Kept>> live(BridgeTransaction transaction, String id) {
        return find(transaction, id)
                .thenApply(entry -> entry.filter(DocumentEntry::isLive).map(this::kept));
    }

    /** {@return what a document says, for which a node's configuration was right once} */
    public ParsedDocument read(ObjectNode body) {
        return reader.read(body);
    }

    /** {@return an entry of a job, read} */
    public Kept kept(DocumentEntry entry) {
        ParsedDocument parsedDocument = read(entry.body());
        if (parsedDocument instanceof ParsedDocument.Job job) {
            return new Kept(job.document(), entry);
        }
        throw new IllegalStateException(
                "What is kept of document " + entry.body().path("_id")
                        + " cannot be read with this node's configuration, which has to know all nodes that"
                        + " documents name: "
                        + parsedDocument);
    }

    /** Keeps a job in place of what was kept of it, and writes its body again if it says something else. */
    public Kept save(BridgeTransaction transaction, Optional<Kept> before, Kept now) {
        JobDocument document = now.document();
        boolean isNew = before.isEmpty() || !before.get().document().equals(document);
        DocumentEntry.DocumentRole documentRole =
                document.isEnded() ? DocumentEntry.DocumentRole.ENDED : DocumentEntry.DocumentRole.LIVE;
        DocumentEntry entry = isNew
                ? now.entry().with(DocumentWriter.write(document, now.entry().body()), documentRole)
                : now.entry();
        before.filter(live -> !live.document().isEnded())
                .flatMap(live -> document.verdict())
                .ifPresent(verdict -> logEnd(transaction, document, verdict));
        if (before.isEmpty() || !before.get().entry().equals(entry)) {
            save(transaction, document.id(), entry);
        }
        return new Kept(document, entry);
    }

    /** Once for a job: of those who keep it for themselves it is said by the node where it was made. */
    private void logEnd(BridgeTransaction transaction, JobDocument job, Verdict verdict) {
        if (verdict.status() != Verdict.Status.SUCCESS
                && assignment.mayReportStopOf(job.plan().creator())) {
            transaction.say(() -> LOG.info(
                    "Node {}: document {} {}{}",
                    node,
                    OneLine.of(job.id()),
                    verdict.status() == Verdict.Status.FAILED ? "has failed" : "was cancelled",
                    verdict.reason().map(why -> ": " + OneLine.of(why)).orElse("")));
        }
    }

    /** Keeps an entry. */
    public void save(BridgeTransaction transaction, String id, DocumentEntry entry) {
        store.put(transaction.tx(), id, entry);
        if (!entry.isLive()) {
            store.forgetAt(transaction.tx(), id, environment.clock().instant().plus(retention));
        }
    }

    /** {@return whether this node writes documents of that home back} */
    public boolean writes(String home) {
        return assignment.writer(home).equals(node);
    }

    /** Has a document written back. */
    public void send(BridgeTransaction transaction, String id, String home) {
        store.outbox()
                .send(
                        transaction.tx(),
                        assignment.writer(home),
                        id,
                        environment.random().nextLong());
    }

    /** {@return the time by the clock and in the zone of this node} */
    public ZonedDateTime now() {
        return environment.clock().instant().atZone(ZoneId.systemDefault());
    }
}
