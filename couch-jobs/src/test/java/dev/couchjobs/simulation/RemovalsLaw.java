package dev.couchjobs.simulation;

import dev.couchjobs.JobState;
import dev.couchjobs.faults.TypeRows;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A job goes when somebody wants it removed, or when it has ended, its time is up by somebody's clock, and it is in the
 * archive if it is to be.
 */
final class RemovalsLaw implements Law {
    private final Calls calls;
    private final Archive archive;
    private final RemovalClockLaw removalClockLaw;
    private final DamageLaw damageLaw;
    private final Violations violations;
    private final Map<String, Integer> wanted = new HashMap<>();
    private final Map<String, Integer> due = new HashMap<>();
    private Instant latest = Instant.EPOCH;

    RemovalsLaw(
            Calls calls, Archive archive, RemovalClockLaw removalClockLaw, DamageLaw damageLaw, Violations violations) {
        this.calls = calls;
        this.archive = archive;
        this.removalClockLaw = removalClockLaw;
        this.damageLaw = damageLaw;
        this.violations = violations;
    }

    /**
     * {@return that clock, having what it says noted: no process believes that it is later than one of them has said}
     */
    InstantSource noting(InstantSource clock) {
        return () -> {
            Instant now = clock.instant();
            latest = now.isAfter(latest) ? now : latest;
            return now;
        };
    }

    @Override
    public void check(DerivedRows before, DerivedRows after, List<TypeRows.Change> news) {
        before.jobs().forEach((jobId, was) -> {
            if (after.jobs().containsKey(jobId) || damageLaw.isDamaged(jobId)) {
                return;
            }
            if (isDue(was) && (!was.archived() || archive.has(jobId, was))) {
                due.merge(jobId, 1, Integer::sum);
                if (!removalClockLaw.mayHaveCome(Instant.ofEpochSecond(was.removeAt()))) {
                    checkWanted(jobId, was, "and that is due by clocks alone that others contradict");
                }
            } else {
                checkWanted(jobId, was, "the latest clock says " + latest);
            }
        });
    }

    private void checkWanted(String jobId, MainRow was, String otherwise) {
        int times = wanted.merge(jobId, 1, Integer::sum);
        violations.require(
                times <= calls.removing.getOrDefault(jobId, 0),
                "No client wanted " + jobId + " removed: " + was + "; " + otherwise);
    }

    private boolean isDue(MainRow was) {
        return was.state() == JobState.FINISHED && was.removeAt() > 0 && was.removeAt() <= latest.getEpochSecond();
    }

    /** {@return how often a job went when its time was up} */
    int due(String jobId) {
        return due.getOrDefault(jobId, 0);
    }
}
