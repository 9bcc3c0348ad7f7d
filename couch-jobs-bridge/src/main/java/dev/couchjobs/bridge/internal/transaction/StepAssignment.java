package dev.couchjobs.bridge.internal.transaction;

import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** How steps come to nodes: what differs between the two ways to join nodes. All of it happens in the caller's turn. */
public interface StepAssignment {

    /** {@return the node that writes a document back when something has changed at this node} */
    String writer(String home);

    /** {@return the node that is taken for the home of a document that names none} */
    String homeOfStrangers();

    /**
     * Whether this node is the one that says of a document, for all, that it cannot be run or has been changed.
     *
     * @param home the node on which it was made
     * @param isKnown whether the document is kept already
     */
    boolean isAuthorityFor(String home, boolean isKnown);

    /**
     * Ensures that the current step of a live job is run. Called when the job is new, when a step has come to its
     * end, and whenever something was said of it that was not known.
     *
     * @param isNewStep whether this was not the current step before
     * @return what is to be kept
     */
    CompletableFuture<Kept> next(BridgeTransaction transaction, Kept now, boolean isNewStep);

    /** Ensures that the current step of what was kept is not run any more. */
    CompletableFuture<Void> stop(BridgeTransaction transaction, Kept before);

    /** A job is live no longer, however it came to that; what runs of it may come to its end. */
    CompletableFuture<Void> jobEnded(BridgeTransaction transaction, Kept before);

    /** Whether this node can say of what runs on another, or on itself, that it was stopped. */
    boolean mayReportStopOf(String other);

    /** Whether what follows a step is begun by the job that joins all of its parts, and not by the end of one. */
    boolean isJoined(Step step);

    /**
     * Handles what a process that has ended has left, and what has been waited for too long.
     * {@return when to look again}
     */
    CompletableFuture<Pause> look(BridgeTransaction transaction);

    /** {@return a document for which a worker here is free} */
    CompletableFuture<Optional<String>> fromQueue(BridgeTransaction transaction);

    /** A worker here is free for a document that has waited for it. {@return what is to be kept} */
    CompletableFuture<Kept> claim(BridgeTransaction transaction, Kept now);

    /** A job for a step has been taken up here. {@return the document with the step begun, or why it must not begin} */
    CompletableFuture<Transition> begin(
            BridgeTransaction transaction, Step step, StepJob job, String executioner, ZonedDateTime now);

    /**
     * A step that has begun here needs its worker.
     *
     * @param pause after which it does; empty if it does now
     */
    CompletableFuture<Void> stepNeedsWorker(BridgeTransaction transaction, StepJob job, Optional<Duration> pause);

    /** A step that had begun here has come to its end, and what it took is free for another. */
    CompletableFuture<Void> ended(BridgeTransaction transaction, StepJob job);

    /**
     * A document with what is kept besides.
     *
     * @param document what it says
     * @param entry what is kept; its body may be older
     */
    record Kept(JobDocument document, DocumentEntry entry) {
        public Kept with(JobDocument other) {
            return new Kept(other, entry);
        }

        public Kept with(DocumentEntry other) {
            return new Kept(document, other);
        }
    }
}
