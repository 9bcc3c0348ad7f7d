package dev.couchjobs.bridge.internal.document;

/** What came of taking a step further. */
public sealed interface Transition {

    /**
     * It is further.
     *
     * @param document the job after it
     */
    record To(JobDocument document) implements Transition {}

    /**
     * It is not allowed, and nothing changes.
     *
     * @param reason why not, for the log
     */
    record Refused(String reason) implements Transition {}
}
