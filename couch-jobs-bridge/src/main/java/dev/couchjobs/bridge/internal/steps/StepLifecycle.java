package dev.couchjobs.bridge.internal.steps;

import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.RevisionPolicy;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.StepRunEnd;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.BridgeTransaction;
import dev.couchjobs.bridge.internal.transaction.DocumentStore;
import dev.couchjobs.bridge.internal.transaction.StepAssignment;
import dev.couchjobs.bridge.internal.transaction.StepAssignment.Kept;
import dev.couchjobs.bridge.internal.transaction.StepJob;
import dev.couchjobs.bridge.internal.transaction.StepSlots;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lifecycle of steps on this node: begin, retry, end. Each transition is one transaction that is fenced by the
 * claim on the step's job.
 */
public final class StepLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(StepLifecycle.class);

    private final String node;
    private final StepAssignment assignment;
    private final Optional<StepSlots> slots;
    private final DocumentStore documents;

    public StepLifecycle(BridgeContext context, StepAssignment assignment, DocumentStore documents) {
        this.node = context.node();
        this.assignment = assignment;
        this.slots = assignment.slots();
        this.documents = documents;
    }

    /** A step that has begun. */
    record Begun(Step step, int tries, ZonedDateTime since) {}

    /** Begins a step whose job this node has claimed. {@return the step; empty if there is nothing to do} */
    CompletableFuture<Optional<Begun>> begin(BridgeTransaction transaction, StepJob job, String worker) {
        String executioner = Step.executioner(node, worker);
        return change(transaction, job, Optional.empty(), document -> {
            Step step = document.step(job.step());
            boolean hasBegun = step.progress()
                    .run(node)
                    .filter(run -> run.isRunning() && run.executioner().equals(executioner))
                    .isPresent();
            return hasBegun // by a commit with an unknown result
                    ? CompletableFuture.completedFuture(new Transition.To(document))
                    : assignment.begin(transaction, step, job, executioner, documents.now());
        });
    }

    /**
     * Counts a failed try, after which another try or the alternative follows.
     *
     * @param pause the time until the next try; empty if no try follows
     * @return the step; empty if there is nothing to do
     */
    CompletableFuture<Optional<Begun>> tried(
            BridgeTransaction transaction, StepJob job, Begun begun, Optional<Duration> pause) {
        return change(transaction, job, pause, document -> {
            Step step = document.step(job.step());
            boolean isCounted = step.progress()
                    .run(node)
                    .filter(run -> run.tries() > begun.tries())
                    .isPresent();
            return CompletableFuture.completedFuture(
                    isCounted ? new Transition.To(document) : step.tried(node)); // by a commit with an unknown result
        });
    }

    /** A change of one step, as a change of its document. */
    private interface Change {
        CompletableFuture<Transition> of(JobDocument document);
    }

    private CompletableFuture<Optional<Begun>> change(
            BridgeTransaction transaction, StepJob job, Optional<Duration> pause, Change change) {
        return documents
                .live(transaction, job.document())
                .thenCompose(before -> before.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : change.of(before.get().document())
                                .thenCompose(transition -> changed(transaction, job, pause, before.get(), transition)));
    }

    private CompletableFuture<Optional<Begun>> changed(
            BridgeTransaction transaction, StepJob job, Optional<Duration> pause, Kept before, Transition transition) {
        if (transition instanceof Transition.Refused refused) {
            LOG.debug("{}: {}", job.document(), refused.reason());
            return CompletableFuture.completedFuture(Optional.empty());
        }
        JobDocument now = ((Transition.To) transition).document();
        documents.save(transaction, Optional.of(before), before.with(now));
        if (RevisionPolicy.between(before.document(), now)) {
            documents.send(transaction, job.document(), before.entry().home());
        }
        Step step = now.step(job.step());
        CompletableFuture<Void> reserved = slots.isPresent() ? slots.get().reserve(transaction, job, pause) : done();
        return reserved.thenApply(done -> step.progress()
                .run(node)
                .map(run -> new Begun(step, run.tries(), run.start().orElseGet(documents::now))));
    }

    /** Ends a step on this node. */
    CompletableFuture<Void> end(BridgeTransaction transaction, StepJob job, boolean hasSucceeded, StepRunEnd end) {
        return documents.find(transaction, job.document()).thenCompose(entry -> {
            Optional<Kept> before = entry.filter(found -> found.documentRole() != DocumentEntry.DocumentRole.DELETED
                            && found.documentRole() != DocumentEntry.DocumentRole.REFUSED)
                    .map(documents::kept);
            CompletableFuture<Void> free = freeSlot(transaction, job);
            if (before.isEmpty()) {
                return free;
            }
            Step step = before.get().document().step(job.step());
            if (step.end(node, documents.now(), hasSucceeded, end) instanceof Transition.To to) {
                documents.send(transaction, job.document(), before.get().entry().home());
                return free.thenCompose(nothing -> ended(transaction, before.get(), to.document(), step));
            }
            return free;
        });
    }

    /** Ends the claim on a step that there is no reason to run. */
    CompletableFuture<Void> left(BridgeTransaction transaction, StepJob job) {
        transaction.review(job.document());
        return documents.find(transaction, job.document()).thenCompose(entry -> {
            entry.filter(found -> found.documentRole() == DocumentEntry.DocumentRole.ENDED)
                    .map(documents::kept)
                    .ifPresent(kept -> leftRunning(transaction, job, kept));
            return freeSlot(transaction, job);
        });
    }

    /** Writes that a step was stopped that had begun on this node before its job ended. */
    private void leftRunning(BridgeTransaction transaction, StepJob job, Kept kept) {
        if (kept.document().step(job.step()).end(node, documents.now(), false, StepRunEnd.stopped("the job had ended"))
                instanceof Transition.To to) {
            documents.save(transaction, Optional.of(kept), kept.with(to.document()));
            documents.send(transaction, job.document(), kept.entry().home());
        }
    }

    private CompletableFuture<Void> ended(BridgeTransaction transaction, Kept before, JobDocument now, Step step) {
        boolean continues = !now.isEnded() && now.currentStep() != step.index() && !assignment.isJoined(step);
        CompletableFuture<Kept> next = continues
                ? assignment.next(transaction, before.with(now), true)
                : gone(transaction, before, now).thenApply(gone -> before.with(now));
        return next.thenAccept(after -> documents.save(transaction, Optional.of(before), after));
    }

    private CompletableFuture<Void> gone(BridgeTransaction transaction, Kept before, JobDocument now) {
        return slots.isPresent() && before.entry().isLive() && now.isEnded()
                ? slots.get().jobEnded(transaction, before)
                : done();
    }

    private CompletableFuture<Void> freeSlot(BridgeTransaction transaction, StepJob job) {
        return slots.isPresent() ? slots.get().stepEnded(transaction, job) : done();
    }

    /** Begins the next step after all nodes have ended their part of one. */
    CompletableFuture<Void> joined(BridgeTransaction transaction, StepJob job) {
        return documents.find(transaction, job.document()).thenCompose(entry -> {
            Optional<Kept> kept = entry.filter(DocumentEntry::isLive).map(documents::kept);
            return kept.isEmpty()
                    ? done()
                    : assignment
                            .next(transaction, kept.get(), true)
                            .thenAccept(after -> documents.save(transaction, kept, after));
        });
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
