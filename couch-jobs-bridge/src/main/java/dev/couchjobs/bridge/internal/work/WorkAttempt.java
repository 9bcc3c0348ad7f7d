package dev.couchjobs.bridge.internal.work;

import dev.couchjobs.JobContext;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.action.ActionContext;
import dev.couchjobs.bridge.internal.couch.Backoff;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import dev.couchjobs.bridge.internal.document.WorkItem;
import dev.couchjobs.bridge.internal.steps.RunningAction;
import dev.couchjobs.bridge.internal.steps.RunningActions;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.WorkJob;
import dev.couchjobs.bridge.internal.work.WorkItemDocuments.Stored;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One claim on the job of an item: claims the item in its document, runs the action, and writes the outcome.
 *
 * <p>The outcome is first stored with the job. From then on the work is not repeated for this claim, even if the
 * process is lost or CouchDB refuses the outcome.
 */
final class WorkAttempt {
    private static final Logger LOG = LoggerFactory.getLogger(WorkAttempt.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final BridgeContext context;
    private final WorkItemDocuments documents;
    private final WorkKind kind;
    private final JobContext<WorkJob> job;
    private final String id;
    private final RunningActions actions;
    private final RunningAction runningAction;
    /** The pauses after conflicts, which do not end while a shard that lags shows an old revision. */
    private final Backoff conflicts;

    WorkAttempt(
            BridgeContext context,
            WorkItemDocuments documents,
            RunningActions actions,
            WorkKind kind,
            JobContext<WorkJob> job) {
        this.context = context;
        this.documents = documents;
        this.actions = actions;
        this.kind = kind;
        this.job = job;
        this.id = job.data().document();
        this.runningAction = new RunningAction(job);
        this.conflicts =
                new Backoff(FIRST_PAUSE, LONGEST_PAUSE, context.environment().random());
    }

    CompletableFuture<Void> start() {
        return runningAction.until(actions.add(id, 0, runningAction.whole())
                .thenCompose(alone -> claim())
                .thenCompose(claimed -> claimed.isPresent() ? work(claimed.get()) : done()));
    }

    // Claim

    /** {@return the item, claimed by this node; empty if this node must not work on it now} */
    private CompletableFuture<Optional<Stored>> claim() {
        return runningAction.unlessStopped(documents.read(id)).thenCompose(found -> {
            if (found.isEmpty() || found.get().item().hasFailed()) {
                return nothing();
            }
            WorkItem item = found.get().item();
            if (item.isClaimed()) { // by an earlier process of this node, or by nodes that share its jobs
                return documents.isOurs(item) ? CompletableFuture.completedFuture(found) : nothing();
            }
            Duration early = Duration.between(now(), item.due());
            if (!early.isNegative() && !early.isZero()) {
                job.snooze(early);
                return nothing();
            }
            return forget(found.get()).thenCompose(forgotten -> claim(found.get()));
        });
    }

    private CompletableFuture<Optional<Stored>> claim(Stored open) {
        Stored own = WorkItemDocuments.with(open.item().claimed(context.node()), open.body());
        return runningAction.unlessStopped(documents.write(own)).thenCompose(writeResult -> {
            if (writeResult instanceof WriteResult.Accepted accepted) {
                own.body().put("_rev", accepted.revision());
                conflicts.reset();
                return CompletableFuture.completedFuture(Optional.of(own));
            }
            if (writeResult instanceof WriteResult.Refused refused) {
                throw new IllegalStateException("CouchDB refuses the claim of work item " + id + ": " + words(refused));
            }
            return runningAction.pause(context, conflicts).thenCompose(over -> claim());
        });
    }

    private static CompletableFuture<Optional<Stored>> nothing() {
        return CompletableFuture.completedFuture(Optional.empty());
    }

    // Work

    private CompletableFuture<Void> work(Stored claimed) {
        return kept().thenCompose(known ->
                known.isKept() && known.generation() <= claimed.generation() ? settle(claimed, known) : act(claimed));
    }

    private CompletableFuture<Void> act(Stored claimed) {
        WorkItem item = claimed.item();
        ActionContext actionContext = new ActionContext(id, 0, context.node(), item.attempts() + 1, kind.timeout());
        return runningAction
                .act(kind.action().apply(claimed.body()), actionContext)
                .thenCompose(result -> {
                    WorkOutcome outcome =
                            WorkOutcome.of(result, item, kind, now()).of(claimed.generation());
                    return keep(outcome).thenCompose(kept -> settle(claimed, outcome));
                });
    }

    /** {@return the stored outcome of the claim in the document, if there is one} */
    private CompletableFuture<WorkOutcome> kept() {
        return WorkOutcome.kept(context.jobs(), context.database(), job.job().type(), job.id());
    }

    private CompletableFuture<Void> keep(WorkOutcome outcome) {
        return runningAction
                .stored(context, () -> context.jobs().processor().checkpoint(context.database(), job.job(), outcome))
                .thenCompose(number -> done());
    }

    /**
     * Removes the stored outcome of an earlier claim before a new one. The outcome of a later revision is kept, because
     * a shard that lags has returned the document.
     */
    private CompletableFuture<Void> forget(Stored open) {
        return kept().thenCompose(known ->
                known.isKept() && known.generation() <= open.generation() ? keep(WorkOutcome.OPEN) : done());
    }

    // Outcome

    /** Writes the outcome into the present document, which a person may have changed. */
    private CompletableFuture<Void> settle(Stored claimed, WorkOutcome outcome) {
        CompletableFuture<WriteResult> writeResult = outcome.of(claimed.item())
                .map(item -> documents.write(WorkItemDocuments.with(item, claimed.body())))
                .orElseGet(() -> documents.delete(claimed));
        return runningAction.unlessStopped(writeResult).thenCompose(result -> {
            if (result instanceof WriteResult.Refused refused) {
                return refused(claimed, outcome, refused);
            }
            return result instanceof WriteResult.Accepted
                    ? done()
                    : runningAction.pause(context, conflicts).thenCompose(over -> settleFromDocument(outcome));
        });
    }

    private CompletableFuture<Void> settleFromDocument(WorkOutcome outcome) {
        return documents
                .read(id)
                .thenCompose(found -> found.filter(stored -> documents.isOurs(stored.item()))
                        .map(stored -> settle(stored, outcome))
                        .orElseGet(WorkAttempt::done));
    }

    /** Stores an outcome that CouchDB refuses. The work is not repeated for that. */
    private CompletableFuture<Void> refused(Stored claimed, WorkOutcome outcome, WriteResult.Refused refused) {
        String reason = switch (outcome.kind()) {
            case DONE -> "It is done, but CouchDB refuses to delete it: " + words(refused);
            case RETRY ->
                "It has failed and is not tried again, because CouchDB refuses the outcome: " + words(refused)
                        + "; it has failed because: " + outcome.reason();
            default -> outcome.reason();
        };
        if (outcome.kind() == WorkOutcome.Kind.FAIL) {
            throw new PermanentFailureException("CouchDB refuses the outcome of work item " + id
                    + ", which stays claimed: " + words(refused) + ". The outcome was: " + reason);
        }
        LOG.error(
                "Node {}: work item {}: {}. The work is not repeated: permit this node's user to write and delete"
                        + " work items, and delete this one, or release it (claimed: false, status: null) to repeat the"
                        + " work.",
                context.node(),
                OneLine.of(id),
                OneLine.of(reason));
        return settle(claimed, WorkOutcome.failed(claimed.item(), reason));
    }

    private static String words(WriteResult.Refused refused) {
        return refused.error() + " (" + refused.reason() + ")";
    }

    private Instant now() {
        return context.environment().clock().instant();
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
