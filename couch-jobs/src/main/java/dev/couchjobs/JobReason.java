package dev.couchjobs;

import java.time.Instant;
import java.util.Optional;

/**
 * What keeps a job from running, as of one moment: see {@link JobDetails#why}. Of several reasons it is the first, in
 * the order of {@link Kind}.
 *
 * @param kind the kind of the reason
 * @param text the reason in a sentence, for people; it may change from version to version
 * @param until when the reason ends by itself, at the earliest; empty if something has to happen
 */
public record JobReason(Kind kind, String text, Optional<Instant> until) {

    /** The kinds of reasons. A later version may have more. */
    public enum Kind {
        /** The job has ended. */
        ENDED,
        /** The job runs: a claim holds it. */
        RUNNING,
        /** The job waits for jobs that it depends on. */
        DEPENDENCIES,
        /** The job waits for the jobs before it in its sequence. */
        SEQUENCE,
        /** The job closes a batch, and waits for its other jobs. */
        BATCH,
        /** The last attempt has failed, and the pause before the next one is not over. */
        RETRY,
        /** The scheduled time of the job has not come. */
        SCHEDULED,
        /** The job has not begun by its deadline: the next claim that finds it ends it. */
        DEADLINE,
        /** The type of the job is paused. */
        TYPE_PAUSED,
        /** The limit key of the job is paused. */
        KEY_PAUSED,
        /** As many jobs with the limit key of the job have started as its rate allows. */
        KEY_RATE,
        /** As many jobs with the limit key of the job run as its limit allows. */
        KEY_LIMIT,
        /** As many jobs of the type run as its limit allows. */
        TYPE_LIMIT,
        /** As many jobs of the type have started as its rate allows. */
        TYPE_RATE,
        /** Nothing of the above: the job runs as soon as a worker of its type has a slot for it. */
        WORKER
    }

    /**
     * A reason that ends when something happens.
     *
     * @param kind the kind of the reason
     * @param text the reason in a sentence
     */
    public JobReason(Kind kind, String text) {
        this(kind, text, Optional.empty());
    }
}
