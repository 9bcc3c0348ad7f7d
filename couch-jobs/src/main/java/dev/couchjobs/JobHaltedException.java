package dev.couchjobs;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The processor no longer holds the job and must stop working on it (RFC 007, {@code halt}): the job was cancelled or
 * removed, or its lock is another's, because this processor sent no heartbeat for longer than the type's timeout.
 *
 * <p>The transaction in which a verb met this is cancelled, so that nothing else written in it can commit.
 */
public class JobHaltedException extends JobsException {
    private static final long serialVersionUID = 1L;

    private final String typeName;
    private final String jobId;
    private final boolean cancelled;
    private final boolean removed;
    private final @Nullable AttemptEnd end;

    /**
     * Made by couch-jobs.
     *
     * @param typeName the name of the job's type
     * @param jobId the id of the job
     * @param message what was wrong and what to do
     */
    public JobHaltedException(String typeName, String jobId, String message) {
        this(typeName, jobId, message, false);
    }

    /**
     * Made by couch-jobs.
     *
     * @param typeName the name of the job's type
     * @param jobId the id of the job
     * @param message what was wrong and what to do
     * @param cancelled whether the job was cancelled
     */
    public JobHaltedException(String typeName, String jobId, String message, boolean cancelled) {
        this(typeName, jobId, message, cancelled, false, null);
    }

    /**
     * Made by couch-jobs.
     *
     * @param typeName the name of the job's type
     * @param jobId the id of the job
     * @param message what was wrong and what to do
     * @param cancelled whether the job was cancelled
     * @param removed whether there is no such job
     * @param end how the holder itself has ended the claim, or null
     */
    public JobHaltedException(
            String typeName,
            String jobId,
            String message,
            boolean cancelled,
            boolean removed,
            @Nullable AttemptEnd end) {
        super(message);
        this.typeName = typeName;
        this.jobId = jobId;
        this.cancelled = cancelled;
        this.removed = removed;
        this.end = end;
    }

    /** {@return the name of the job's type} */
    public String typeName() {
        return typeName;
    }

    /** {@return the id of the job} */
    public String jobId() {
        return jobId;
    }

    /** {@return whether the job was {@linkplain JobControl#cancel cancelled} by another than its processor} */
    public boolean isCancelled() {
        return cancelled;
    }

    /** {@return whether there is no such job any more} */
    public boolean isRemoved() {
        return removed;
    }

    /**
     * How the holder of the claim has itself ended it before, by this lock. A caller that repeats a verb because it did
     * not learn of the first one's success learns of it here.
     *
     * @return the end; empty if the claim is lost, and also once the job was claimed again, removed, or changed
     */
    public Optional<AttemptEnd> end() {
        return Optional.ofNullable(end);
    }
}
