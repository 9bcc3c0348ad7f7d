package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.bridge.internal.action.Action;
import dev.couchjobs.bridge.internal.action.ActionResult;
import dev.couchjobs.bridge.internal.action.Occasion;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.couch.Written;
import dev.couchjobs.bridge.internal.document.ActionPlan;
import dev.couchjobs.bridge.internal.document.DocumentKind;
import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.DocumentWriter;
import dev.couchjobs.bridge.internal.document.Reading;
import dev.couchjobs.bridge.internal.document.WorkItem;
import dev.couchjobs.bridge.internal.document.WorkView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Does the work of {@code WorkItem} documents, of those kinds that this node has subscribed to. Every item that is open is
 * a job here, due when the item is. To do it the item is claimed in its document, by a write that CouchDB takes from one
 * only: so any number of processes can work on one database, whether they share jobs or not.
 */
final class WorkQueue {
    private static final Logger LOG = LoggerFactory.getLogger(WorkQueue.class);

    private final BridgeContext context;
    /** The nodes among which whoever holds an item's job knows that no other holds one. */
    private final Set<String> together;

    private final DocumentReader reader;
    private final Function<ActionPlan, Action> actions;
    private final Map<String, WorkKind> kinds;

    /**
     * @param sharesJobs whether all nodes of the cluster have their jobs in common
     */
    WorkQueue(
            BridgeContext context,
            boolean sharesJobs,
            Map<String, WorkKind> kinds,
            Function<ActionPlan, Action> actions) {
        this.context = context;
        this.together = sharesJobs ? Set.copyOf(context.cluster().nodes()) : Set.of(context.node());
        this.reader = new DocumentReader(context.cluster());
        this.kinds = new LinkedHashMap<>(kinds);
        this.actions = actions;
    }

    /** {@return the types of the jobs} */
    List<JobType<WorkJob, Void>> types() {
        return kinds.keySet().stream().map(StepTypes::ofWork).toList();
    }

    /** Has a worker do the work. */
    void subscribe(WorkerBuilder worker) {
        kinds.forEach((name, kind) -> worker.handleAsync(StepTypes.ofWork(name), job -> new Attempt(job, kind).start())
                .concurrency(StepTypes.ofWork(name), kind.concurrency()));
    }

    /** Puts the view of the queue into the database, for people and for other programs. */
    CompletableFuture<Void> offerView() {
        if (kinds.isEmpty()) {
            return done();
        }
        return context.couch().read(List.of(WorkView.DESIGN_ID)).thenCompose(stored -> {
            Optional<Leaf> there = stored.get(0).current();
            ObjectNode design = WorkView.design();
            if (there.filter(leaf -> Digests.of(leaf.body()).equals(Digests.of(design)))
                    .isPresent()) {
                return done();
            }
            there.ifPresent(leaf -> design.put("_rev", leaf.revision()));
            return context.couch().write(List.of(design)).thenAccept(written -> {
                if (written.get(0) instanceof Written.Refused refused) {
                    LOG.warn("The view of work items cannot be put into the database: {}", refused.reason());
                }
            });
        });
    }

    // What CouchDB says

    /** Takes in what a database has of some documents. */
    CompletableFuture<Void> takeAll(Turn turn, List<StoredDocument> documents) {
        return CompletableFuture.allOf(
                documents.stream().map(document -> take(turn, document)).toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> take(Turn turn, StoredDocument stored) {
        if (kinds.isEmpty() || stored.leaves().isEmpty()) {
            return done();
        }
        Optional<Leaf> current = stored.current();
        if (current.isEmpty()) {
            return drop(turn, stored.id());
        }
        Reading reading = reader.read(current.get().body());
        if (reading instanceof Reading.Work work) {
            return take(turn, work.item());
        }
        if (reading instanceof Reading.Broken broken && broken.kind() == DocumentKind.WORK_ITEM && !broken.isEnded()) {
            LOG.warn("Work item {} cannot be done: {}", stored.id(), broken.reason());
            ObjectNode refused = DocumentWriter.refuse(current.get().body(), broken.reason());
            turn.afterwards(() -> {
                var unused = context.couch().write(List.of(refused));
            });
        }
        return done();
    }

    private CompletableFuture<Void> take(Turn turn, WorkItem item) {
        if (!kinds.containsKey(item.worker())) {
            return done();
        }
        if (item.isOpen()) {
            turn.add(item.due().isAfter(now()) ? job(item).at(item.due()) : job(item));
            return done();
        }
        return isOurs(item) && !item.hasFailed() ? takeUp(turn, item) : drop(turn, item.id());
    }

    /** Whether who holds the item's job may do it. A claim that names nobody is that of another program. */
    private boolean isOurs(WorkItem item) {
        return item.isClaimed() && item.claimedBy().filter(together::contains).isPresent();
    }

    /** Its claim outlives whoever made it: there has to be a job for it, if only to find that it is done by now. */
    private CompletableFuture<Void> takeUp(Turn turn, WorkItem item) {
        JobType<WorkJob, Void> type = StepTypes.ofWork(item.worker());
        return context.jobs().getJobState(turn.tx(), type, item.id()).thenAccept(state -> {
            if (state.isTerminal()) {
                turn.add(job(item));
            }
        });
    }

    private static NewJob<WorkJob> job(WorkItem item) {
        return NewJob.of(StepTypes.ofWork(item.worker()), new WorkJob(item.id()))
                .id(item.id());
    }

    /** Somebody else does it, or it is gone: there is nothing to wait for. One that is being done ends by itself. */
    private CompletableFuture<Void> drop(Turn turn, String id) {
        CouchJobs jobs = context.jobs();
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (String kind : kinds.keySet()) {
            JobType<WorkJob, Void> type = StepTypes.ofWork(kind);
            all.add(jobs.getJobState(turn.tx(), type, id)
                    .thenCompose(state -> state == JobState.PENDING
                            ? jobs.remove(turn.tx(), type, id)
                            : CompletableFuture.completedFuture(false)));
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }

    private Instant now() {
        return context.environment().clock().instant();
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    /** An item's document, as it was read last. */
    private record Claimed(WorkItem item, ObjectNode body) {}

    /** One claim on an item's job. */
    private final class Attempt {
        private final JobContext<WorkJob> job;
        private final WorkKind kind;
        private final String id;
        private final CompletableFuture<Void> whole = new CompletableFuture<>();

        Attempt(JobContext<WorkJob> job, WorkKind kind) {
            this.job = job;
            this.kind = kind;
            this.id = job.data().document();
        }

        CompletableFuture<Void> start() {
            var unused = claim().thenCompose(claimed -> claimed.isPresent() ? act(claimed.get()) : done())
                    .whenComplete((ended, error) -> {
                        if (error == null) {
                            whole.complete(null);
                        } else {
                            whole.completeExceptionally(error);
                        }
                    });
            return whole;
        }

        private CompletableFuture<Optional<Leaf>> read() {
            return context.couch()
                    .read(List.of(id))
                    .thenApply(stored -> stored.get(0).current());
        }

        /** {@return the item, which is this node's; empty if it is not for this node now} */
        private CompletableFuture<Optional<Claimed>> claim() {
            return read().thenCompose(leaf -> {
                if (leaf.isEmpty() || !(reader.read(leaf.get().body()) instanceof Reading.Work work)) {
                    return nothing();
                }
                WorkItem item = work.item();
                if (item.hasFailed() || (item.isClaimed() && !isOurs(item))) {
                    return nothing();
                }
                if (item.isClaimed()) { // by a process before this one
                    return CompletableFuture.completedFuture(
                            Optional.of(new Claimed(item, leaf.get().body())));
                }
                Duration early = Duration.between(now(), item.due());
                if (!early.isNegative() && !early.isZero()) {
                    job.snooze(early);
                    return nothing();
                }
                WorkItem own = item.claimed(context.node());
                return write(own, leaf.get().body())
                        .thenCompose(body -> body.isPresent()
                                ? CompletableFuture.completedFuture(body.map(written -> new Claimed(own, written)))
                                : claim());
            });
        }

        private static CompletableFuture<Optional<Claimed>> nothing() {
            return CompletableFuture.completedFuture(Optional.empty());
        }

        private CompletableFuture<Void> act(Claimed claimed) {
            CompletableFuture<ActionResult> action = actions.apply(kind.action().apply(claimed.body()))
                    .run(new Occasion(id, 0, context.node(), claimed.item().attempts() + 1, kind.timeout()));
            var unused = whole.whenComplete((ended, error) -> action.cancel(true));
            return action.thenCompose(result -> result.success()
                    ? settle(claimed, Optional.empty())
                    : settle(claimed, Optional.of(failed(claimed.item(), result))));
        }

        private WorkItem failed(WorkItem item, ActionResult result) {
            String reason = result.reason().orElse("It has failed.");
            Optional<Duration> pause =
                    result.isFinal() ? Optional.empty() : kind.retry().pauseAfter(item.attempts() + 1, Duration.ZERO);
            return pause.map(time -> item.retried(
                            now().plus(result.notBefore()
                                    .filter(least -> least.compareTo(time) > 0)
                                    .orElse(time)),
                            reason))
                    .orElseGet(() -> item.failed(reason));
        }

        /** Writes what came of it, on whatever a person may have made of the document meanwhile. */
        private CompletableFuture<Void> settle(Claimed claimed, Optional<WorkItem> outcome) {
            CompletableFuture<Boolean> written = outcome.isPresent()
                    ? write(outcome.get(), claimed.body()).thenApply(Optional::isPresent)
                    : delete(claimed.body());
            return written.thenCompose(isWritten -> isWritten
                    ? done()
                    : read().thenCompose(leaf -> leaf.isPresent()
                                    && reader.read(leaf.get().body()) instanceof Reading.Work work
                                    && isOurs(work.item())
                            ? settle(new Claimed(work.item(), leaf.get().body()), outcome)
                            : done()));
        }

        /** {@return the document as it was written; empty if somebody was faster} */
        private CompletableFuture<Optional<ObjectNode>> write(WorkItem item, ObjectNode base) {
            ObjectNode body = DocumentWriter.write(item, base);
            body.put("_rev", base.path("_rev").asString());
            return context.couch().write(List.of(body)).thenApply(results -> {
                if (results.get(0) instanceof Written.Accepted accepted) {
                    return Optional.of(body.put("_rev", accepted.revision()));
                }
                refuse(results.get(0));
                return Optional.empty();
            });
        }

        private CompletableFuture<Boolean> delete(ObjectNode base) {
            ObjectNode tombstone = Tombstone.of(id, base.path("_rev").asString());
            return context.couch().write(List.of(tombstone)).thenApply(results -> {
                refuse(results.get(0));
                return results.get(0) instanceof Written.Accepted;
            });
        }

        private void refuse(Written result) {
            if (result instanceof Written.Refused refused) {
                throw new IllegalStateException("CouchDB does not take work item " + id + ": " + refused.error() + " ("
                        + refused.reason() + ")");
            }
        }
    }
}
