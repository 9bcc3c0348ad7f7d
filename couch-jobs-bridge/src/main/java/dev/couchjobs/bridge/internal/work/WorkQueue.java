package dev.couchjobs.bridge.internal.work;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import dev.couchjobs.bridge.internal.document.DocumentDigests;
import dev.couchjobs.bridge.internal.document.DocumentIds;
import dev.couchjobs.bridge.internal.document.DocumentKind;
import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.DocumentWriter;
import dev.couchjobs.bridge.internal.document.ParsedDocument;
import dev.couchjobs.bridge.internal.document.WorkItem;
import dev.couchjobs.bridge.internal.document.WorkView;
import dev.couchjobs.bridge.internal.steps.RunningActions;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.BridgeTransaction;
import dev.couchjobs.bridge.internal.transaction.StepTypes;
import dev.couchjobs.bridge.internal.transaction.WorkJob;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Works on {@code WorkItem} documents of the kinds that this node subscribes to. Each open item is a job, due when the
 * item is. The node claims the item in its document, by a write that CouchDB accepts from one node only. So any number
 * of processes can work on one database, whether they share jobs or not.
 */
public final class WorkQueue {
    private static final Logger LOG = LoggerFactory.getLogger(WorkQueue.class);

    private final BridgeContext context;
    private final DocumentReader reader;
    private final WorkItemDocuments documents;
    private final RunningActions actions;
    private final Map<String, WorkKind> kinds;

    /** @param sharesJobs whether all nodes of the cluster share their jobs */
    public WorkQueue(BridgeContext context, boolean sharesJobs, Map<String, WorkKind> kinds, RunningActions actions) {
        this.actions = actions;
        this.context = context;
        this.reader = new DocumentReader(context.cluster());
        this.documents = new WorkItemDocuments(
                context.couch(),
                reader,
                sharesJobs ? Set.copyOf(context.cluster().nodes()) : Set.of(context.node()));
        this.kinds = new LinkedHashMap<>(kinds);
    }

    /** {@return the types of the jobs} */
    public List<JobType<WorkJob, Void>> types() {
        return kinds.keySet().stream().map(StepTypes::ofWork).toList();
    }

    /** {@return the number of items of all kinds on which this node works at once} */
    public int concurrency() {
        return kinds.values().stream().mapToInt(WorkKind::concurrency).sum();
    }

    /** Adds the handlers of work items to a worker. */
    public WorkerBuilder subscribe(WorkerBuilder worker) {
        kinds.forEach((name, kind) -> worker.handleAsync(
                        StepTypes.ofWork(name), job -> new WorkAttempt(context, documents, actions, kind, job).start())
                .concurrency(StepTypes.ofWork(name), kind.concurrency()));
        return worker;
    }

    /** Writes the view of the queue into the database, for people and other programs. */
    public CompletableFuture<Void> offerView() {
        if (kinds.isEmpty()) {
            return done();
        }
        return context.couch().read(List.of(WorkView.DESIGN_ID)).thenCompose(stored -> {
            Optional<Leaf> there = stored.get(0).current();
            ObjectNode design = WorkView.design();
            if (there.filter(leaf -> DocumentDigests.of(leaf.body()).equals(DocumentDigests.of(design)))
                    .isPresent()) {
                return done();
            }
            there.ifPresent(leaf -> design.put("_rev", leaf.revision()));
            return context.couch().write(List.of(design)).thenAccept(results -> {
                if (results.get(0) instanceof WriteResult.Refused refused) {
                    LOG.warn(
                            "Node {}: the view of work items cannot be written to the database: {}",
                            context.node(),
                            refused.reason());
                }
            });
        });
    }

    // Intake

    /** Adds and removes jobs according to documents in the database. */
    public CompletableFuture<Void> takeAll(BridgeTransaction transaction, List<StoredDocument> documents) {
        return CompletableFuture.allOf(
                documents.stream().map(document -> take(transaction, document)).toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> take(BridgeTransaction transaction, StoredDocument stored) {
        if (kinds.isEmpty() || stored.leaves().isEmpty()) {
            return done();
        }
        Optional<Leaf> current = stored.current();
        if (current.isEmpty()) {
            return DocumentIds.mayHaveJobs(stored.id()) ? drop(transaction, stored.id()) : done();
        }
        ParsedDocument parsedDocument = reader.read(current.get().body());
        if (parsedDocument instanceof ParsedDocument.Work work) {
            return take(transaction, work.item());
        }
        if (parsedDocument instanceof ParsedDocument.Broken broken
                && broken.kind() == DocumentKind.WORK_ITEM
                && !broken.isEnded()) {
            transaction.say(() -> LOG.warn(
                    "Node {}: work item {} cannot be done: {}",
                    context.node(),
                    OneLine.of(stored.id()),
                    OneLine.of(broken.reason())));
            ObjectNode refused = DocumentWriter.refuse(current.get().body(), broken.reason());
            transaction.afterwards(() -> {
                var unused = context.couch().write(List.of(refused));
            });
        }
        return done();
    }

    private CompletableFuture<Void> take(BridgeTransaction transaction, WorkItem item) {
        if (!kinds.containsKey(item.worker())) {
            return done();
        }
        if (item.isOpen()) {
            transaction.add(item.due().isAfter(now()) ? job(item).at(item.due()) : job(item));
            return done();
        }
        return documents.isOurs(item) && !item.hasFailed() ? takeUp(transaction, item) : drop(transaction, item.id());
    }

    /** Adds a job for an item that an earlier process has claimed. The job may find that the work is done. */
    private CompletableFuture<Void> takeUp(BridgeTransaction transaction, WorkItem item) {
        JobType<WorkJob, Void> type = StepTypes.ofWork(item.worker());
        return context.jobs().getJobState(transaction.tx(), type, item.id()).thenAccept(state -> {
            if (state.isTerminal()) {
                transaction.add(job(item));
            }
        });
    }

    private static NewJob<WorkJob> job(WorkItem item) {
        return NewJob.of(StepTypes.ofWork(item.worker()), new WorkJob(item.id()))
                .id(item.id());
    }

    /** Removes the job of an item that is gone, or that another node works on. Work that runs ends by itself. */
    private CompletableFuture<Void> drop(BridgeTransaction transaction, String id) {
        return CompletableFuture.allOf(kinds.keySet().stream()
                .map(kind -> drop(transaction, StepTypes.ofWork(kind), id))
                .toArray(CompletableFuture<?>[]::new));
    }

    /** Removes a job unless it stores an outcome: the item may return, and the work must not be repeated. */
    private CompletableFuture<Void> drop(BridgeTransaction transaction, JobType<WorkJob, Void> type, String id) {
        CouchJobs jobs = context.jobs();
        return jobs.getJobState(transaction.tx(), type, id).thenCompose(state -> switch (state) {
            case FINISHED -> jobs.remove(transaction.tx(), type, id).thenAccept(removed -> {});
            case PENDING ->
                WorkOutcome.kept(jobs, transaction.tx(), type, id)
                        .thenCompose(kept -> kept.isKept()
                                ? done()
                                : jobs.remove(transaction.tx(), type, id).thenAccept(removed -> {}));
            default -> done();
        });
    }

    private Instant now() {
        return context.environment().clock().instant();
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
