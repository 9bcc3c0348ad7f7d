package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.Run;
import dev.couchjobs.bridge.internal.document.RunEnd;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.engine.Assignment.Kept;
import dev.couchjobs.bridge.internal.ledger.Entry;
import dev.couchjobs.bridge.internal.ledger.Ledger;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What follows from what is known of a job now: its next step is seen to, or what runs of it stops. */
final class Settlement {
    private static final Logger LOG = LoggerFactory.getLogger(Settlement.class);

    private final BridgeContext context;
    private final Ledger ledger;
    private final Assignment assignment;
    private final Documents documents;
    private final Running running;

    Settlement(BridgeContext context, Assignment assignment, Documents documents, Running running) {
        this.context = context;
        this.ledger = context.ledger();
        this.assignment = assignment;
        this.documents = documents;
        this.running = running;
    }

    /** Keeps what follows from what is known now. */
    CompletableFuture<Kept> settle(Turn turn, Optional<Kept> before, Kept now) {
        if (now.document().isEnded()) {
            return settleEnded(turn, before, now);
        }
        boolean isOther = before.isPresent() && !isSameRound(before.get().document(), now.document());
        CompletableFuture<Void> stopped = isOther ? assignment.stop(turn, before.get()) : done();
        return stopped.thenCompose(nothing -> assignment.next(turn, now, before.isEmpty() || isOther))
                .thenApply(next -> documents.save(turn, before, next));
    }

    private static boolean isSameRound(JobDocument before, JobDocument now) {
        int step = before.currentStep();
        return step == now.currentStep()
                && before.step(step).round() == now.step(step).round();
    }

    private CompletableFuture<Kept> settleEnded(Turn turn, Optional<Kept> before, Kept now) {
        Optional<Kept> live = before.filter(kept -> kept.entry().isLive());
        boolean runsOn = isBorneOut(now.document()); // other nodes' parts of a step may still run to their end
        Kept after = before.isPresent() && runsOn ? now : now.with(stopped(now.document()));
        if (!runsOn) {
            stopRunning(turn, now.document().id());
        }
        CompletableFuture<Void> gone =
                live.isEmpty() ? done() : runsOn ? assignment.gone(turn, live.get()) : stop(turn, live.get());
        return gone.thenApply(nothing -> documents.save(turn, before, after));
    }

    /** A job is over: nothing of it is to be run any more. */
    CompletableFuture<Void> stop(Turn turn, Kept before) {
        return assignment.gone(turn, before).thenCompose(gone -> assignment.stop(turn, before));
    }

    /**
     * What was seen by a try of this turn that was not the last need not hold: whether the job has ended is looked at
     * again.
     */
    void stopRunning(Turn turn, String id) {
        turn.afterwards(() -> {
            var unused = context.read("look what runs", tx -> ledger.find(tx, id))
                    .whenComplete((entry, error) -> {
                        if (error != null) {
                            LOG.warn(
                                    "Whether document {} still runs here could not be found out",
                                    OneLine.of(id),
                                    error);
                        } else if (entry.filter(this::runsOn).isEmpty()) {
                            running.stop(id);
                        }
                    });
        });
    }

    private boolean runsOn(Entry entry) {
        return entry.isLive()
                || (entry.standing() == Entry.Standing.ENDED
                        && isBorneOut(documents.kept(entry).document()));
    }

    /** Says of what runs of a job that has ended that it does so no longer, as far as that is for this node to say. */
    private JobDocument stopped(JobDocument ended) {
        JobDocument now = ended;
        for (int step = 0; step < ended.plan().steps().size(); step++) {
            for (String runner : ended.step(step).progress().runs().keySet()) {
                if (assignment.speaksFor(runner)
                        && now.step(step).end(runner, documents.now(), false, RunEnd.stopped("the job had ended"))
                                instanceof Transition.To to) {
                    now = to.document();
                }
            }
        }
        return now;
    }

    /** Whether a job has ended by the ends of its steps, and not because a document says so. */
    private static boolean isBorneOut(JobDocument ended) {
        return IntStream.range(0, ended.plan().steps().size())
                        .mapToObj(step -> ended.step(step).progress().runs().values())
                        .anyMatch(runs -> runs.stream().anyMatch(Run::hasFailed))
                || ended.currentStep() == ended.plan().steps().size();
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
