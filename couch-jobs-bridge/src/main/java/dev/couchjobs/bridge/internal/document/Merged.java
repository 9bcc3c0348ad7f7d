package dev.couchjobs.bridge.internal.document;

/** What two versions of a job document make together. */
public sealed interface Merged {

    /**
     * One version that says what both say.
     *
     * @param document that version
     */
    record Joined(JobDocument document) implements Merged {}

    /**
     * Nothing: they ask for different things, so the job must not go on.
     *
     * @param reason where they differ, for a person to act on
     */
    record PlansDiffer(String reason) implements Merged {}
}
