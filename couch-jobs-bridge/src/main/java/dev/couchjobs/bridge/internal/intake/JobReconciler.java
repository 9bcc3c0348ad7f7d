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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What follows from what is known of a job now: its next step is seen to, or what runs of it stops. */
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

    /** Keeps what follows from what is known now. */
    CompletableFuture<Kept> settle(BridgeTransaction transaction, Optional<Kept> before, Kept now) {
        if (now.document().isEnded()) {
            return settleEnded(transaction, before, now);
        }
        boolean isOther = before.isPresent() && !isSameRound(before.get().document(), now.document());
        CompletableFuture<Void> stopped = isOther ? assignment.stop(transaction, before.get()) : done();
        return stopped.thenCompose(nothing -> assignment.next(transaction, now, before.isEmpty() || isOther))
                .thenApply(next -> documents.save(transaction, before, next));
    }

    private static boolean isSameRound(JobDocument before, JobDocument now) {
        int step = before.currentStep();
        return step == now.currentStep()
                && before.step(step).round() == now.step(step).round();
    }

    private CompletableFuture<Kept> settleEnded(BridgeTransaction transaction, Optional<Kept> before, Kept now) {
        Optional<Kept> live = before.filter(kept -> kept.entry().isLive());
        boolean runsOn = isConsistent(now.document()); // other nodes' parts of a step may still run to their end
        Kept after = before.isPresent() && runsOn ? now : now.with(stopped(now.document()));
        if (!runsOn) {
            stopRunning(transaction, now.document().id());
        }
        CompletableFuture<Void> gone = live.isEmpty()
                ? done()
                : runsOn ? assignment.jobEnded(transaction, live.get()) : stop(transaction, live.get());
        return gone.thenApply(nothing -> documents.save(transaction, before, after));
    }

    /** A job is over: nothing of it is to be run any more. */
    CompletableFuture<Void> stop(BridgeTransaction transaction, Kept before) {
        return assignment.jobEnded(transaction, before).thenCompose(gone -> assignment.stop(transaction, before));
    }

    /**
     * What was seen by a try of this turn that was not the last need not hold: whether the job has ended is looked at
     * again.
     */
    void stopRunning(BridgeTransaction transaction, String id) {
        transaction.afterwards(() -> {
            var unused = context.read("look what runs", tx -> store.find(tx, id))
                    .whenComplete((entry, error) -> {
                        if (error != null) {
                            LOG.warn(
                                    "Whether document {} still runs here could not be found out",
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

    /** Says of what runs of a job that has ended that it does so no longer, as far as that is for this node to say. */
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

    /** Whether a job has ended by the ends of its steps, and not because a document says so. */
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
