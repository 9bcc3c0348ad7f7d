package dev.couchjobs;

import com.apple.foundationdb.tuple.Versionstamp;
import java.util.Optional;

/**
 * One change of a job, as {@code awaitEvent} reports it. Immutable.
 *
 * @param <D> the type of the job's data
 */
public interface JobEvent<D> {
    /** {@return the type of the job} */
    JobType<D, ?> type();

    /** {@return the id of the job} */
    String jobId();

    /** {@return what the job became; {@link JobState#NOT_FOUND} when it was removed} */
    JobState state();

    /**
     * The job's data, read when {@code awaitEvent} took this event: never older than {@link #state}, and newer only
     * when the job had already moved on, in which case further events follow. Events that have not been taken hold no
     * data.
     *
     * @return the data, or empty when the job is gone
     * @throws PayloadException if what is stored cannot be read as {@code D}; the other properties of the event are
     *     valid
     * @throws com.apple.foundationdb.FDBException if the database did not answer when the data was to be read
     */
    Optional<D> data();

    /** {@return the commit that made the change; changes of one type are reported in this order} */
    Versionstamp sequence();
}
