package dev.couchjobs.bridge.internal.intake;

import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.StepRun;
import dev.couchjobs.bridge.internal.document.StepRunEnd;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.steps.RunningActions;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.BridgeTransaction;
import dev.couchjobs.bridge.internal.transaction.DocumentStore;
import dev.couchjobs.bridge.internal.transaction.StepAssignment;
import dev.couchjobs.bridge.internal.transaction.StepAssignment.Kept;
import dev.couchjobs.bridge.internal.transaction.StepSlots;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Adjusts the jobs of steps to a changed job document: begins its current step, or stops what runs. */
final class JobReconciler {
    private static final Logger LOG = LoggerFactory.getLogger(JobReconciler.class);

    private final BridgeContext context;
    private final BridgeStore store;
    private final StepAssignment assignment;
    private final DocumentStore documents;
    private final RunningActions actions;

    JobReconciler(BridgeContext context, StepAssignment assignment, DocumentStore documents, RunningActions actions) {
        this.context = context;
        this.store = context.store();
        this.assignment = assignment;
        this.documents = documents;
        this.actions = actions;
    }

    /** Stores a job and adjusts the jobs of its steps. {@return what was stored} */
    CompletableFuture<Kept> settle(BridgeTransaction transaction, Optional<Kept> before, Kept now) {
        if (now.document().isEnded()) {
            return settleEnded(transaction, before, now);
        }
        boolean isOther = before.isPresent() && !isSameRound(before.get().document(), now.document());
        CompletableFuture<Void> stopped = isOther ? assignment.stop(transaction, before.get()) : done();
        return moved(transaction, before, now.document().plan().priority())
                .thenCompose(moved -> stopped)
                .thenCompose(nothing -> assignment.next(transaction, now, before.isEmpty() || isOther))
                .thenApply(next -> documents.save(transaction, before, next));
    }

    private CompletableFuture<Void> moved(BridgeTransaction transaction, Optional<Kept> before, int priority) {
        return before.filter(
                        kept -> kept.entry().isLive() && kept.document().plan().priority() != priority)
                .map(kept -> assignment.reprioritise(transaction, kept, priority))
                .orElseGet(JobReconciler::done);
    }

    private static boolean isSameRound(JobDocument before, JobDocument now) {
        int step = before.currentStep();
        return step == now.currentStep()
                && before.step(step).round() == now.step(step).round();
    }

    private CompletableFuture<Kept> settleEnded(BridgeTransaction transaction, Optional<Kept> before, Kept now) {
        Optional<Kept> live = before.filter(kept -> kept.entry().isLive());
        boolean runsOn = isConsistent(now.document()); // the parts of other nodes may still run
        Kept after = before.isPresent() && runsOn ? now : now.with(stopped(now.document()));
        if (!runsOn) {
            stopRunning(transaction, now.document().id());
        }
        CompletableFuture<Void> released = live.isEmpty()
                ? done()
                : runsOn ? releaseSlots(transaction, live.get()) : stop(transaction, live.get());
        return released.thenApply(nothing -> documents.save(transaction, before, after));
    }

    /** Stops the current step of a job that has ended. */
    CompletableFuture<Void> stop(BridgeTransaction transaction, Kept before) {
        return releaseSlots(transaction, before).thenCompose(released -> assignment.stop(transaction, before));
    }

    private CompletableFuture<Void> releaseSlots(BridgeTransaction transaction, Kept before) {
        Optional<StepSlots> slots = assignment.slots();
        return slots.isPresent() ? slots.get().jobEnded(transaction, before) : done();
    }

    /**
     * Stops the actions of a document after the commit. It checks first whether the job has ended, because a try that
     * did not commit may have seen other data.
     */
    void stopRunning(BridgeTransaction transaction, String id) {
        transaction.afterwards(() -> {
            var unused = context.read("read the state of a job", tx -> store.find(tx, id))
                    .whenComplete((entry, error) -> {
                        if (error != null) {
                            LOG.warn(
                                    "The state of document {} could not be read, so its actions on this node are"
                                            + " not stopped",
                                    OneLine.of(id),
                                    error);
                        } else if (entry.filter(this::runsOn).isEmpty()) {
                            actions.stop(id);
                        }
                    });
        });
    }

    private boolean runsOn(DocumentEntry entry) {
        return entry.isLive()
                || (entry.documentRole() == DocumentEntry.DocumentRole.ENDED
                        && isConsistent(documents.kept(entry).document()));
    }

    /** {@return an ended job in which running steps are stopped, as far as this node may say so} */
    private JobDocument stopped(JobDocument ended) {
        JobDocument now = ended;
        for (int step = 0; step < ended.plan().steps().size(); step++) {
            for (String runner : ended.step(step).progress().runs().keySet()) {
                if (assignment.mayReportStopOf(runner)
                        && now.step(step).end(runner, documents.now(), false, StepRunEnd.stopped("the job had ended"))
                                instanceof Transition.To to) {
                    now = to.document();
                }
            }
        }
        return now;
    }

    /** Whether the ends of its steps have ended the job, and not the verdict in a document alone. */
    private static boolean isConsistent(JobDocument ended) {
        return IntStream.range(0, ended.plan().steps().size())
                        .mapToObj(step -> ended.step(step).progress().runs().values())
                        .anyMatch(runs -> runs.stream().anyMatch(StepRun::hasFailed))
                || ended.currentStep() == ended.plan().steps().size();
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
