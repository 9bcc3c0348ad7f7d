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

/** Reads documents from the store, and writes them with all that depends on them. */
public final class DocumentStore {
    private static final Logger LOG = LoggerFactory.getLogger(DocumentStore.class);

    private final String node;
    private final BridgeStore store;
    private final StepAssignment assignment;
    private final Environment environment;
    /** The reader accepts all that an earlier configuration accepted. */
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

    /** {@return the entry of a document} */
    public CompletableFuture<Optional<DocumentEntry>> find(BridgeTransaction transaction, String id) {
        return store.find(transaction.tx(), id);
    }

    /** {@return the entry of a job that has not ended} */
    public CompletableFuture<Optional<Kept>> live(BridgeTransaction transaction, String id) {
        return find(transaction, id)
                .thenApply(entry -> entry.filter(DocumentEntry::isLive).map(this::kept));
    }

    /** {@return a document that this node's configuration accepts, or accepted before} */
    public ParsedDocument read(ObjectNode body) {
        return reader.read(body);
    }

    /** {@return the job document of an entry} */
    public Kept kept(DocumentEntry entry) {
        ParsedDocument parsedDocument = read(entry.body());
        if (parsedDocument instanceof ParsedDocument.Job job) {
            return new Kept(job.document(), entry);
        }
        throw new IllegalStateException("The entry of document " + entry.body().path("_id")
                + " cannot be read with this node's configuration, which must contain all nodes that"
                + " documents name: "
                + parsedDocument);
    }

    /** Stores a job in place of its previous entry. The body is written again only if the document differs. */
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

    /** Logs the end of a job once: if nodes replicate, only the creator node logs it. */
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

    public void save(BridgeTransaction transaction, String id, DocumentEntry entry) {
        store.put(transaction.tx(), id, entry);
        if (!entry.isLive()) {
            store.forgetAt(transaction.tx(), id, environment.clock().instant().plus(retention));
        }
    }

    /** {@return whether this node writes the documents of the given home to CouchDB} */
    public boolean writes(String home) {
        return assignment.writer(home).equals(node);
    }

    /** Adds a document to the outbox. */
    public void send(BridgeTransaction transaction, String id, String home) {
        store.outbox()
                .send(
                        transaction.tx(),
                        assignment.writer(home),
                        id,
                        environment.random().nextLong());
    }

    /** {@return the time of this node's clock, in its time zone} */
    public ZonedDateTime now() {
        return environment.clock().instant().atZone(ZoneId.systemDefault());
    }
}
