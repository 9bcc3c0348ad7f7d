package dev.couchjobs;

import com.apple.foundationdb.ReadTransactionContext;
import dev.couchjobs.internal.monitor.BackgroundServices;
import dev.couchjobs.internal.sweep.RetentionService;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * What keeps the stored jobs in order: activity monitors, archives and the clocks that both rely on
 * ({@link CouchJobs#maintenance}). Workers start their own monitors; most applications need nothing of this. Safe for
 * use by several threads.
 */
public final class Maintenance {
    private final BackgroundServices services;
    private final RetentionService retentionService;

    Maintenance(BackgroundServices services, RetentionService retentionService) {
        this.services = services;
        this.retentionService = retentionService;
    }

    /**
     * Monitors the running jobs of a type in this process until this instance is closed. {@code accept} does so by
     * itself, and a worker while it runs. A job whose processor has been silent for the activity timeout T becomes
     * pending again, at most 1.5 T after its last heartbeat, or has failed if that was its last attempt. Jobs that have
     * ended are removed when their {@link Retention} is over. Any number of processes may monitor a type.
     *
     * @param type the type
     * @throws CouchJobsClosedException if this instance is closed
     */
    public void monitor(JobType<?, ?> type) {
        services.monitor(type);
    }

    /**
     * Hands jobs of a type to an archive when their retention is over, and removes them when the archive has taken
     * them. It concerns jobs whose retention is {@link Retention#archived}; without an archive they stay. One process
     * at a time archives.
     *
     * @param type the type of the jobs
     * @param archive what takes them
     * @param <D> the type of the data
     * @param <R> the type of the result
     * @throws IllegalStateException if this instance has an archive for the type
     * @throws CouchJobsClosedException if this instance is closed
     */
    public <D, R> void archive(JobType<D, R> type, JobArchive<D, R> archive) {
        retentionService.archive(type, Objects.requireNonNull(archive, "archive"));
    }

    /**
     * Measures how the clock of this process differs from those of the processes that remove jobs, as they have stored
     * them. This process need not be one of them.
     *
     * @param context a database, or a transaction to join
     * @return the skew
     */
    public CompletableFuture<ClockSkew> clockSkew(ReadTransactionContext context) {
        return retentionService.clockSkew(context);
    }
}
