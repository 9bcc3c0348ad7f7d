package dev.couchjobs.bridge.internal.document;

/** The result of joining two versions of a job document. */
public sealed interface Merged {

    /**
     * The join of the two.
     *
     * @param document the joined version
     */
    record Joined(JobDocument document) implements Merged {}

    /**
     * No join: the plans differ, so the job must not continue.
     *
     * @param reason the difference, with what a person can do
     */
    record PlansDiffer(String reason) implements Merged {}
}
