package dev.couchjobs;

/**
 * What adding a job did.
 *
 * @param jobId the job's id
 * @param change what became of a job that was there, or that there was none
 */
public record AddResult(String jobId, Change change) {
    /** What adding a job can do. */
    public enum Change {
        /** There was no such job. */
        ADDED,
        /** The job was pending, and has the new data, time and priority. */
        REPLACED,
        /**
         * The job was there and is as it was: it was pending just as given, it was running and already to run once
         * more, or the {@link NewJob} asked to leave it alone.
         */
        UNCHANGED,
        /** The job was running, keeps its data, and runs once more when it is finished. */
        RESUBMITTED,
        /** The job was finished, and is pending again with the new data. */
        RUN_AGAIN
    }
}
