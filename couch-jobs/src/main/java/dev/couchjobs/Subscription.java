package dev.couchjobs;

import dev.couchjobs.internal.notify.Notifiers;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A subscription to the changes of one job (RFC 007, {@code subscribe}).
 *
 * <p>It reports the state in which it found the job and then every later change, none lost in between. It ends with its
 * job: {@link JobState#FINISHED} and {@link JobState#NOT_FOUND} are its last event. Only a job that is removed and soon
 * added again just as it was, before it was ever claimed, may be followed on as if it had stayed. A subscription to a
 * job that was already finished or missing has ended from the start, and that state is its only event, so that a caller
 * who waits for the end needs no special case.
 *
 * <p>Events that have not been taken are kept without data, the newest 1,024 of them. Close it
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

    /**
     * Waits for the next change (RFC 007, {@code awaitEvent/2}).
     *
     * @param timeout how long to wait, counted from the call
     * @return the change, or empty when the time is up or no change can come any more
     * @throws IllegalArgumentException if the timeout is negative
     */
    CompletableFuture<Optional<JobEvent<D>>> awaitEvent(Duration timeout);

    /**
     * Waits until the job comes into one state (RFC 007, {@code awaitEvent/3}). Skips changes to other states.
     *
     * @param state the state
     * @param timeout how long to wait, counted from the call
     * @return the change, or empty when the time is up or no change can come any more
     * @throws IllegalArgumentException if the timeout is negative
     */
    CompletableFuture<Optional<JobEvent<D>>> awaitEvent(JobState state, Duration timeout);

    /**
     * Waits for the next change of any of several jobs (RFC 007, {@code awaitEvent/2}). Changes of jobs of one type
     * come in the order of their commits.
     *
     * @param subscriptions the subscriptions, all of one {@link CouchJobs}
     * @param timeout how long to wait, counted from the call
     * @param <D> the type of the data
     * @return the change, or empty when the time is up or no change can come any more
     * @throws IllegalArgumentException if the timeout is negative
     */
    static <D> CompletableFuture<Optional<JobEvent<D>>> awaitAny(
            Collection<? extends Subscription<? extends D>> subscriptions, Duration timeout) {
        return Notifiers.awaitAny(subscriptions, null, timeout);
    }

    /**
     * Waits until any of several jobs comes into one state (RFC 007, {@code awaitEvent/3}). Skips changes to other
     * states.
     *
     * @param subscriptions the subscriptions, all of one {@link CouchJobs}
     * @param state the state
     * @param timeout how long to wait, counted from the call
     * @param <D> the type of the data
     * @return the change, or empty when the time is up or no change can come any more
     * @throws IllegalArgumentException if the timeout is negative
     */
    static <D> CompletableFuture<Optional<JobEvent<D>>> awaitAny(
            Collection<? extends Subscription<? extends D>> subscriptions, JobState state, Duration timeout) {
        return Notifiers.awaitAny(subscriptions, state, timeout);
    }

    /** Ends the subscription (RFC 007, {@code unsubscribe}) and drops the events that were not taken. */
    @Override
    void close();
}
