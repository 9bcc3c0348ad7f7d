package dev.couchjobs;

import java.time.Duration;
import java.util.Optional;

/**
 * Receives what one instance does, for metrics, traces and logs; see {@link CouchJobsBuilder#listener}. What other
 * instances do is not reported here. Without a listener nothing is collected.
 *
 * <p>The library calls a listener on its own threads and on those of callers, several at the same time. The methods
 * must return quickly and must not block. What they throw is logged and changes nothing. Events are reported after the
 * commit, except {@link #started}, and {@link #added} in a transaction of the caller's. A process that dies reports
 * nothing more, so an event is reported at most once.
 */
public interface JobsListener {

    /**
     * Jobs were added by {@code add} or {@code addAll}. In a transaction of the caller's this is reported when the verb
     * is done: the transaction may still fail, or be tried again.
     *
     * @param event what was added
     */
    default void added(Added event) {}

    /**
     * Jobs were claimed, by workers or by {@code accept}.
     *
     * @param event what was claimed
     */
    default void claimed(Claimed event) {}

    /**
     * A worker calls the handler of a job.
     *
     * @param event the attempt that starts
     */
    default void started(Started event) {}

    /**
     * A worker has ended an attempt that had {@linkplain #started started}, and the end is committed.
     *
     * @param event the attempt, and how it ended
     */
    default void ended(Ended event) {}

    /**
     * A worker has lost its claim on a job: it expired, or the job was removed or cancelled. If the attempt had
     * started, this is reported in place of its end.
     *
     * @param event the job
     */
    default void lost(Lost event) {}

    /**
     * The heartbeats of a worker have reached the database late: more than half of the activity timeout after the last
     * ones, where a third is usual. Claims without a heartbeat for the whole timeout expire.
     *
     * @param event how late they were
     */
    default void heartbeatsLate(HeartbeatsLate event) {}

    /**
     * The activity monitor of this instance has ended claims whose leases had expired.
     *
     * @param event how many
     */
    default void expired(Expired event) {}

    /**
     * The retention of this instance has removed ended jobs.
     *
     * @param event how many
     */
    default void removed(Removed event) {}

    /**
     * A transaction of the library's own has ended. Those of callers and handlers are not reported.
     *
     * @param event the transaction
     */
    default void transactionEnded(TransactionEnded event) {}

    /**
     * Jobs of one type that were added, replaced or enqueued again.
     *
     * @param type the name of the type
     * @param jobs how many jobs changed; those that were there and stayed as they were are not counted
     */
    record Added(String type, int jobs) {}

    /**
     * Jobs of one type that were claimed together.
     *
     * @param type the name of the type
     * @param jobs how many
     */
    record Claimed(String type, int jobs) {}

    /**
     * An attempt that starts.
     *
     * @param type the name of the type
     * @param jobId the id of the job
     * @param attempt which attempt this is, from 1; attempts that did not fail are not counted
     */
    record Started(String type, String jobId, int attempt) {}

    /**
     * An attempt that has ended.
     *
     * @param type the name of the type
     * @param jobId the id of the job
     * @param attempt which attempt this was, as when it started
     * @param how how it ended
     * @param isRetried whether another attempt follows
     * @param took how long the handler took
     * @param error the text of the error, or the reason of a cancellation
     */
    record Ended(
            String type,
            String jobId,
            int attempt,
            AttemptEnd how,
            boolean isRetried,
            Duration took,
            Optional<String> error) {}

    /**
     * A claim that is lost.
     *
     * @param type the name of the type
     * @param jobId the id of the job
     * @param attempt which attempt this was
     * @param hasStarted whether the attempt had started
     * @param isCancelled whether the job is known to be cancelled
     */
    record Lost(String type, String jobId, int attempt, boolean hasStarted, boolean isCancelled) {}

    /**
     * Heartbeats of jobs of one type that were late.
     *
     * @param type the name of the type
     * @param jobs how many jobs had them
     * @param silentFor how long the last heartbeat, or the claim, of one of them was ago, by the clock of this process
     * @param timeout the activity timeout of the type
     */
    record HeartbeatsLate(String type, int jobs, Duration silentFor, Duration timeout) {}

    /**
     * Claims of one type that have expired.
     *
     * @param type the name of the type
     * @param jobs how many jobs had them
     */
    record Expired(String type, int jobs) {}

    /**
     * Jobs of one type that were removed at the end of their retention.
     *
     * @param type the name of the type
     * @param jobs how many
     */
    record Removed(String type, int jobs) {}

    /**
     * A transaction that has ended.
     *
     * @param purpose what it was for, such as {@code accept} or {@code end}
     * @param type the name of the type, or empty if it was for several or none
     * @param tries how often it was tried: more than once after conflicts, for example
     * @param conflicts how many tries ended in a conflict with another transaction
     * @param took how long it took with all its tries
     * @param error why it failed
     */
    record TransactionEnded(
            String purpose, String type, int tries, int conflicts, Duration took, Optional<Throwable> error) {}
}
