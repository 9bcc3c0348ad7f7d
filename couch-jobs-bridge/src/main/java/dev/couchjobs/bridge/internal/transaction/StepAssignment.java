package dev.couchjobs.bridge.internal.transaction;

import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The rules by which nodes share steps and documents; each join mode has its own. All methods act within the caller's
 * transaction.
 */
public interface StepAssignment {

    /** {@return the node that writes a document to CouchDB after a change on this node} */
    String writer(String home);

    /** {@return the home of documents that name no creator node} */
    String homeOfStrangers();

    /**
     * Whether this node decides for all nodes that a document cannot be run, or that its plan has changed.
     *
     * @param home the node on which the document was made
     * @param isKnown whether the store contains the document
     */
    boolean isAuthorityFor(String home, boolean isKnown);

    /**
     * {@return what this node takes for the progress of the steps of a job that its store knows}
     *
     * @param known the state in the store
     * @param all the join of that with the versions in CouchDB
     */
    JobDocument believed(JobDocument known, JobDocument all);

    /** {@return a stored job, with those runs as a document shows them that only other nodes put back after an edit} */
    JobDocument asShown(JobDocument stored, JobDocument shown);

    /** Whether the store has the state of all nodes, so that no document knows more of a job than the store. */
    boolean knowsAll();

    /** Whether the progress in a document that the store has never had may be that of bridges. */
    boolean believesNewDocuments();

    /**
     * Ensures that the current step of a live job is run. The caller calls this method after each change of the job.
     *
     * @param isNewStep whether the change has made this step the current one
     * @return what to store
     */
    CompletableFuture<Kept> next(BridgeTransaction transaction, Kept now, boolean isNewStep);

    /**
     * Moves the current step of a live job among those that wait. One that runs goes on.
     *
     * @param before the job with its former priority
     */
    CompletableFuture<Void> reprioritise(BridgeTransaction transaction, Kept before, int priority);

    /** Ensures that the current step of a job is not run. */
    CompletableFuture<Void> stop(BridgeTransaction transaction, Kept before);

    /** Whether this node may write into a document that a step was stopped on the given node. */
    boolean mayReportStopOf(String stopped);

    /** Whether a join job begins the next step after all parts of this one; otherwise the end of this step does. */
    boolean isJoined(Step step);

    /** Begins a step whose job this node has claimed. {@return the document with the step begun, or why it must not} */
    CompletableFuture<Transition> begin(
            BridgeTransaction transaction, Step step, StepJob job, String executioner, ZonedDateTime now);

    /** {@return the slots that this node reserves for steps; empty if any worker may run any step} */
    Optional<StepSlots> slots();

    /**
     * A job document and its entry in the store.
     *
     * @param document the document
     * @param entry the entry; its body may be older than the document
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
