package dev.couchjobs;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The health of an instance and of its jobs, as {@link HealthCheck#check} has found it. If the status is {@link
 * HealthStatus#DOWN}, nothing else is known, and the other parts are empty.
 *
 * @param status the sum of the reasons
 * @param reasons why the status is not {@link HealthStatus#UP}, in sentences that say what to do
 * @param readVersionTook how long the database took for a read version; empty if it gave none
 * @param due of each type with due jobs the one that has been due for longest among those at the heads of its queues,
 *     longest due first, at most {@value #DUE_MAX}
 * @param typesDue how many of the types have due jobs, which may be more than {@code due} holds
 * @param typesInUse how many of the types are in use: jobs of them run, may run, or did so a short time ago
 * @param unmonitored the types of jobs whose processes could die unnoticed, because no activity monitor is alive for
 *     them, at most {@value #DUE_MAX}
 * @param isComplete whether the check has looked at all types that it should; of more than {@value
 *     HealthCheck#TYPES_MAX} it looks at only that many, those in use first
 * @param clockSkew how the clock of this process stands to others
 * @param quarantined how many rows are in quarantine; of more than {@value #QUARANTINED_MAX} only that many are counted
 * @param liveWorkers how many workers are {@linkplain WorkerInfo#isLive live}; among more than {@value #WORKERS_MAX}
 *     rows of workers only that many are counted
 */
public record Health(
        HealthStatus status,
        List<String> reasons,
        Optional<Duration> readVersionTook,
        List<DueJob> due,
        int typesDue,
        int typesInUse,
        List<String> unmonitored,
        boolean isComplete,
        Optional<ClockSkew> clockSkew,
        int quarantined,
        int liveWorkers) {
    /** How many due jobs are reported. */
    public static final int DUE_MAX = 100;
    /** How many quarantined rows are counted. */
    public static final int QUARANTINED_MAX = 100;
    /** How many rows of workers are read. */
    public static final int WORKERS_MAX = 1_000;

    /**
     * Copies the lists.
     *
     * @param status see above
     * @param reasons see above
     * @param readVersionTook see above
     * @param due see above
     * @param typesDue see above
     * @param typesInUse see above
     * @param unmonitored see above
     * @param isComplete see above
     * @param clockSkew see above
     * @param quarantined see above
     * @param liveWorkers see above
     */
    public Health {
        reasons = List.copyOf(reasons);
        due = List.copyOf(due);
        unmonitored = List.copyOf(unmonitored);
    }

    /**
     * A due job at the head of a queue: the first without a scheduled time, with one, or with a priority. Jobs that
     * wait for a slot, a token or another job are in no queue.
     *
     * @param type the name of its type
     * @param jobId its id
     * @param dueFor how long it has been due, at least. The stored rows say so of a job that has a scheduled time, a
     *     priority or an id of the library's and was not claimed since; of any other job it is the time since this
     *     instance first saw it there, zero in the first check
     */
    public record DueJob(String type, String jobId, Duration dueFor) {}
}
