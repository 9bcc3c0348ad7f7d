package dev.couchjobs;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * A claim on a job, from {@link Processor#accept}: what a processor passes to {@code update}, {@code finish} and
 * {@code resubmit} to show that the job's lock is its own (RFC 007, "Job Processing API").
 *
 * <p>Immutable, and safe to share between threads. It is a picture of the moment in which it was made; the truth is in
 * the database, and the verbs read it there.
 *
 * @param <D> the type of the job's data
 */
public interface Job<D> {
    /** {@return the type of the job} */
    JobType<D, ?> type();

    /** {@return the id of the job, unique within its type} */
    String id();

    /** {@return the lock that this claim holds: a new one for every claim; {@code JobLock} in RFC 007} */
    UUID lock();

    /** {@return the number of this claim; the claims on a job are numbered from 1 and never twice alike} */
    long claim();

    /** {@return how many attempts had failed when the claim was made, since the job was last added} */
    int failures();

    /** {@return the time before which the job was not to run, in whole seconds, or empty if it had none} */
    Optional<Instant> scheduledTime();

    /** {@return the firing time of the job, if a schedule added it ({@link Schedule})} */
    Optional<Instant> firingTime();

    /** {@return the job's headers, by name; see {@link NewJob#header}} */
    Map<String, String> headers();

    /**
     * The job's data as this claim last saw it.
     *
     * @return the data
     * @throws PayloadException if what is stored cannot be read as {@code D}; the claim is good nevertheless, so that
     *     the job can be finished or removed
     * @throws IllegalStateException if the claim was read {@linkplain Processor#claim(
     *     com.apple.foundationdb.ReadTransactionContext, ClaimKey) without its data}
     */
    D data();

    /**
     * Whether a caller asked for the job to run once more after this run (RFC 007, {@code is_resubmitted}). Always
     * false right after {@code accept}; look at the job that {@code update} returns.
     *
     * @return whether the job will be pending again when it is finished
     */
    boolean isResubmitted();
}
