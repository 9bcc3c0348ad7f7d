package dev.couchjobs.bridge.internal.document;

/** The result of a transition of a step. */
public sealed interface Transition {

    /**
     * The transition is allowed.
     *
     * @param document the job after the transition
     */
    record To(JobDocument document) implements Transition {}

    /**
     * The transition is not allowed, and nothing changes.
     *
     * @param reason the reason, for the log
     */
    record Refused(String reason) implements Transition {}
}
