package dev.couchjobs;

/**
 * What adding a job did.
 *
 * @param jobId the job's id
 * @param change what became of a job that was there, or that there was none
 * @param givenData what became of the data that was given
 */
public record AddResult(String jobId, Change change, GivenData givenData) {
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
        /** The job was running, and runs once more when that run has ended. */
        RESUBMITTED,
        /** The job was finished, and is pending again with the new data. */
        RUN_AGAIN
    }

    /** What can become of the data that was given. */
    public enum GivenData {
        /** The job has it. */
        STORED,
        /** The job was running, and its next run has it: {@link Unique#replacing} asked for that. */
        NEXT_RUN,
        /** The job keeps the data that it had: it was running, or it was left alone. The given data is nowhere. */
        DISCARDED
    }
}
