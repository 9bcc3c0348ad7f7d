package dev.couchjobs;

import java.util.Optional;

/**
 * A subscription to the changes of one job (RFC 007, {@code subscribe}); {@link CouchJobs#awaitEvent} hands the changes
 * out.
 *
 * <p>It reports the state in which it found the job and then every later change, none lost in between. It ends with its
 * job: {@link JobState#FINISHED} and {@link JobState#NOT_FOUND} are its last event. Only a job that is removed and soon
 * added again just as it was, before it was ever claimed, may be followed on as if it had stayed. A subscription to a
 * job that was already finished or missing has ended from the start, and that state is its only event, so that a caller
 * who waits for the end needs no special case.
 *
 * <p>Events that have not been taken are kept without data, the newest 1,024 of them. Close it, or {@code unsubscribe},
 * when it is no longer wanted. Safe for use by several threads.
 *
 * @param <D> the type of the job's data
 */
public interface Subscription<D> extends AutoCloseable {
    /** {@return the type of the job} */
    JobType<D, ?> type();

    /** {@return the id of the job} */
    String jobId();

    /** {@return the state in which the subscription found the job} */
    JobState state();

    /**
     * The data that the job had when the subscription found it. The subscription keeps it for as long as it is
     * reachable.
     *
     * @return the data, or empty if there was no such job
     * @throws PayloadException if what is stored cannot be read as {@code D}
     */
    Optional<D> data();

    /** {@return whether no further event will come, apart from those not yet waited for} */
    boolean isEnded();

    /** The same as {@link CouchJobs#unsubscribe}. */
    @Override
    void close();
}
