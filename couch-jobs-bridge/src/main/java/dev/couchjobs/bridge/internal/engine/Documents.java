package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.DocumentWriter;
import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.Reading;
import dev.couchjobs.bridge.internal.document.Verdict;
import dev.couchjobs.bridge.internal.engine.Assignment.Kept;
import dev.couchjobs.bridge.internal.ledger.Entry;
import dev.couchjobs.bridge.internal.ledger.Ledger;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** What is kept of documents: read from the ledger, and written to it with all that goes with it. */
final class Documents {
    private static final Logger LOG = LoggerFactory.getLogger(Documents.class);

    private final String node;
    private final Ledger ledger;
    private final Assignment assignment;
    private final Environment environment;
    /** Of what was accepted once. */
    private final DocumentReader reader;

    private final Duration retention;

    Documents(BridgeContext context, Assignment assignment) {
        this.node = context.node();
        this.ledger = context.ledger();
        this.environment = context.environment();
        this.reader = new DocumentReader(context.cluster()).trusting();
        this.retention = context.retention();
        this.assignment = assignment;
    }

    /** {@return what is kept of a document} */
    CompletableFuture<Optional<Entry>> find(Turn turn, String id) {
        return ledger.find(turn.tx(), id);
    }

    /** {@return what is kept of a job, if it has not ended} */
    CompletableFuture<Optional<Kept>> live(Turn turn, String id) {
        return find(turn, id).thenApply(entry -> entry.filter(Entry::isLive).map(this::kept));
    }

    /** {@return what a document says, for which a node's configuration was right once} */
    Reading read(ObjectNode body) {
        return reader.read(body);
    }

    /** {@return an entry of a job, read} */
    Kept kept(Entry entry) {
        Reading reading = read(entry.body());
        if (reading instanceof Reading.Job job) {
            return new Kept(job.document(), entry);
        }
        throw new IllegalStateException(
                "What is kept of document " + entry.body().path("_id")
                        + " cannot be read with this node's configuration, which has to know all nodes that"
                        + " documents name: "
                        + reading);
    }

    /** Keeps a job in place of what was kept of it, and writes its body anew if it says something else. */
    Kept save(Turn turn, Optional<Kept> before, Kept now) {
        JobDocument document = now.document();
        boolean isNew = before.isEmpty() || !before.get().document().equals(document);
        Entry.Standing standing = document.isEnded() ? Entry.Standing.ENDED : Entry.Standing.LIVE;
        Entry entry = isNew
                ? now.entry().with(DocumentWriter.write(document, now.entry().body()), standing)
                : now.entry();
        before.filter(live -> !live.document().isEnded())
                .flatMap(live -> document.verdict())
                .ifPresent(verdict -> sayThatItHasEnded(turn, document, verdict));
        if (before.isEmpty() || !before.get().entry().equals(entry)) {
            save(turn, document.id(), entry);
        }
        return new Kept(document, entry);
    }

    /** Once for a job: of those who keep it for themselves it is said by the node where it was made. */
    private void sayThatItHasEnded(Turn turn, JobDocument job, Verdict verdict) {
        if (verdict.status() != Verdict.Status.SUCCESS
                && assignment.speaksFor(job.plan().creator())) {
            turn.say(() -> LOG.info(
                    "Node {}: document {} {}{}",
                    node,
                    OneLine.of(job.id()),
                    verdict.status() == Verdict.Status.FAILED ? "has failed" : "was cancelled",
                    verdict.reason().map(why -> ": " + OneLine.of(why)).orElse("")));
        }
    }

    /** Keeps an entry. */
    void save(Turn turn, String id, Entry entry) {
        ledger.put(turn.tx(), id, entry);
        if (!entry.isLive()) {
            ledger.forgetAt(turn.tx(), id, environment.clock().instant().plus(retention));
        }
    }

    /** {@return whether this node writes documents of that home back} */
    boolean writes(String home) {
        return assignment.writer(home).equals(node);
    }

    /** Has a document written back. */
    void send(Turn turn, String id, String home) {
        ledger.outbox()
                .send(
                        turn.tx(),
                        assignment.writer(home),
                        id,
                        environment.random().nextLong());
    }

    /** {@return the time by the clock and in the zone of this node} */
    ZonedDateTime now() {
        return environment.clock().instant().atZone(ZoneId.systemDefault());
    }
}
