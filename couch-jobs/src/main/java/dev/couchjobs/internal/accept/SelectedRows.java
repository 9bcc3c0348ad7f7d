package dev.couchjobs.internal.accept;

import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.job.Standing;
import dev.couchjobs.internal.limits.HeldCandidates;
import dev.couchjobs.internal.queue.QueueEntry;
import dev.couchjobs.internal.rows.JobRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What becomes of the rows of the queues that a claim has selected. */
final class SelectedRows {
    /** What a claim does with a pending job. */
    private enum Verdict {
        /** The claim may take it. */
        TAKE,
        /** Another claim decides about it. */
        LEAVE,
        /** It becomes due. */
        MOVE,
        /** It waits for its limit key again. */
        PUT_BACK,
        /** Its deadline has passed. */
        END
    }

    private final ClaimCriteria criteria;
    private final HeldCandidates held;
    /** The jobs with limit keys that this try has ended. The end of the verb needs and clears their rows. */
    private final Set<String> endedLimited;

    private final Instant now;
    /**
     * The turn keys whose first candidate is a suspect. A claim takes no other job of such a key: the key keeps its
     * turn until the suspect is the first candidate of all, and so is claimed alone.
     */
    private final Set<String> keysOfSuspects = new HashSet<>(0);

    private final Map<String, JobRow> claimable = new LinkedHashMap<>();
    private final Map<String, QueueEntry> claimableRows = new HashMap<>();
    private final Map<JobRef, JobRow> late = new LinkedHashMap<>(0);
    private final List<RowChange> moves = new ArrayList<>();
    private final List<QueueEntry> stale = new ArrayList<>(0);
    private final Set<String> gone = new HashSet<>(0);
    private boolean hasLostCandidates;
    private boolean mayAdmitJobs;

    SelectedRows(ClaimCriteria criteria, HeldCandidates held, Set<String> endedLimited, Instant now) {
        this.criteria = criteria;
        this.held = held;
        this.endedLimited = endedLimited;
        this.now = now;
    }

    /**
     * Adds a row. One that matches no pending job is stale.
     *
     * @param found the job of the row, if there is one
     * @param isCandidate whether the job may be claimed; otherwise the row may be moved
     */
    void add(QueueEntry row, JobRef ref, Optional<JobRow> found, boolean isCandidate) {
        if (endedLimited.contains(row.jobId())) {
            return;
        }
        Optional<JobRow> pending = found.filter(job -> row.matches(ref, job));
        if (pending.isEmpty()) {
            stale.add(row);
            recordGone(row, isCandidate);
            return;
        }
        JobRow job = pending.get();
        switch (verdict(row, job, isCandidate)) {
            case TAKE -> {
                claimable.put(row.jobId(), job);
                claimableRows.put(row.jobId(), row);
            }
            case MOVE -> {
                mayAdmitJobs |= needsAdmission(job);
                moves.add(new RowChange(ref, job, job.dueNow()));
            }
            case PUT_BACK -> held.add(row, ref, job);
            case END -> {
                late.put(ref, job);
                recordGone(row, isCandidate);
                mayAdmitJobs = true;
                if (job.options().limitKey() != null) {
                    endedLimited.add(row.jobId());
                }
            }
            case LEAVE -> {}
        }
    }

    /** The limits of a claim, in order: the first that is closed decides. */
    private Verdict verdict(QueueEntry row, JobRow job, boolean isCandidate) {
        if (job.isLate(now.toEpochMilli())) {
            return Verdict.END;
        }
        if (!isCandidate || needsAdmission(job)) {
            return mayMove(row, job) ? Verdict.MOVE : Verdict.LEAVE;
        }
        if (held.isPaused(job)) {
            return Verdict.PUT_BACK;
        }
        if (waitsForSuspect(job)) {
            return Verdict.LEAVE;
        }
        return held.mayStart(job) ? Verdict.TAKE : Verdict.PUT_BACK;
    }

    private void recordGone(QueueEntry row, boolean isCandidate) {
        gone.add(row.jobId());
        hasLostCandidates |= isCandidate;
    }

    /** The first call for a suspect lets its key wait for it. */
    private boolean waitsForSuspect(JobRow job) {
        String key = job.options().turnKey();
        if (key == null || criteria.workStart() == WorkStart.WITH_CLAIM) {
            return false;
        }
        return job.claimInfo().isSuspect() ? !keysOfSuspects.add(key) : keysOfSuspects.contains(key);
    }

    /** A job with a limit key or a turn key is in the later part until a claim finds that its time has come. */
    private static boolean needsAdmission(JobRow job) {
        return Standing.of(job) instanceof Standing.Later later && later.hasKey();
    }

    /** No job with a turn key is in the turn part before its time, whatever times the criteria accept. */
    private boolean mayMove(QueueEntry row, JobRow job) {
        return job.options().turnKey() == null || row.scheduledTime() <= now.getEpochSecond();
    }

    /** {@return the jobs that may be claimed, by id, in the order of the queue} */
    Map<String, JobRow> claimable() {
        return claimable;
    }

    /** {@return the rows of the jobs that may be claimed, by id} */
    Map<String, QueueEntry> claimableRows() {
        return claimableRows;
    }

    /** {@return the jobs that have not begun by their deadlines} */
    Map<JobRef, JobRow> late() {
        return late;
    }

    /** {@return whether a job of a schedule is late} */
    boolean endsJobsOfSchedules() {
        return late.values().stream().anyMatch(job -> job.options().firing() != null);
    }

    /** {@return the changes of jobs that have become due and are in the later part} */
    List<RowChange> moves() {
        return moves;
    }

    List<QueueEntry> stale() {
        return stale;
    }

    /** {@return the ids of the jobs that are late, and of the stale rows} */
    Set<String> gone() {
        return gone;
    }

    /** {@return whether another read may find more candidates in place of those that are late or stale} */
    boolean hasLostCandidates() {
        return hasLostCandidates;
    }

    /** {@return whether jobs are moved or ended, which may admit others} */
    boolean mayAdmitJobs() {
        return mayAdmitJobs;
    }
}
