package dev.couchjobs;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is known of a job, as of the transaction that read it. Immutable.
 *
 * @param <D> the type of the job's data
 * @param <R> the type of its result
 */
public interface JobInfo<D, R> {
    /** {@return the type of the job} */
    JobType<D, R> type();

    /** {@return the id of the job} */
    String id();

    /** {@return pending, running or finished} */
    JobState state();

    /** {@return how a finished job ended; empty while it has not} */
    Optional<Outcome> outcome();

    /** {@return higher first; 0 if its creator did not say} */
    int priority();

    /** {@return the limit key that its creator gave it} */
    Optional<String> limitKey();

    /** {@return the key by which others are duplicates of it; empty if it has none, or that is a digest of its data} */
    Optional<String> uniqueKey();

    /** {@return whether jobs with the same data are duplicates of it} */
    boolean isUniqueByData();

    /** {@return the turn key that its creator gave it} */
    Optional<String> turnKey();

    /** {@return the key of the sequence in which its creator put it} */
    Optional<String> sequence();

    /** {@return whether its sequence goes on when it fails} */
    boolean passesFailure();

    /** {@return the retry policy that its creator gave it; empty if it has that of its type} */
    Optional<RetryPolicy> retry();

    /**
     * {@return whether a pending job waits for other jobs to end: its dependencies, those before it in its sequence, or
     * the batch that it closes}
     */
    boolean isBlocked();

    /** {@return the time before which a pending job is not to run, or that a finished one had, if there was one} */
    Optional<Instant> scheduledTime();

    /** {@return its tags, in order} */
    List<String> tags();

    /** {@return its headers, by name} */
    Map<String, String> headers();

    /** {@return the batch of which it is a member, or which it closes} */
    Optional<String> batch();

    /** {@return the time by which the job is to begin; empty if it has none, or has begun} */
    Optional<Instant> startBefore();

    /** {@return whether a running job is to run once more when it has ended} */
    boolean isResubmitted();

    /** {@return how often the job was claimed; it only grows, also when the job is sent again} */
    long claims();

    /**
     * How many jobs one after the other, each added by the handler of the one before, led to this job.
     *
     * <p>A handler adds what is added on its thread, or in a transaction in which it holds its job. A job that is added
     * again takes its descent from that addition, unless it runs.
     *
     * @return the number of jobs; 0 if no handler added it
     */
    int descent();

    /** {@return how many attempts have failed since the job was last enqueued} */
    int failures();

    /**
     * How often a claim was released after its work had begun, since the job was last enqueued. Such an attempt is no
     * failure.
     *
     * @param reason why
     * @return the number of releases for that reason
     */
    int releases(ReleaseReason reason);

    /** {@return the present attempt, or else the last one; empty if there has been none} */
    Optional<JobAttempt> lastAttempt();

    /** {@return what went wrong in the last attempt, or why the job was cancelled} */
    Optional<String> error();

    /** {@return when a finished job ended, by the clock of the process that ended it} */
    Optional<Instant> endedAt();

    /** {@return from when on a finished job is to be removed; empty if it stays} */
    Optional<Instant> removeAt();

    /**
     * The job's data.
     *
     * @return the data
     * @throws PayloadException if what is stored cannot be read as {@code D}
     */
    D data();

    /**
     * What came of the job.
     *
     * @return the result; empty if the job has not succeeded, or without a result
     * @throws PayloadException if what is stored cannot be read as {@code R}
     */
    Optional<R> result();
}
