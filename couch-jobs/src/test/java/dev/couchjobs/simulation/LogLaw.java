package dev.couchjobs.simulation;

import dev.couchjobs.Job;
import dev.couchjobs.faults.TypeRows;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Only who holds a job writes into its log, and nothing is ever changed there. Whoever claims the job next is told of
 * the last checkpoint that was committed by then; one that is written by a call of its own is written once.
 */
final class LogLaw implements Law {
    private final Violations violations;
    private final Map<UUID, Optional<String>> found = new HashMap<>();
    private final Map<String, Long> written = new HashMap<>();
    private final Set<UUID> removed = new HashSet<>();

    LogLaw(Violations violations) {
        this.violations = violations;
    }

    @Override
    public void check(DerivedRows before, DerivedRows after, List<TypeRows.Change> news) {
        before.jobs().forEach((jobId, was) -> {
            MainRow is = after.jobs().get(jobId);
            if (was.lock() != null && (is == null || is.claims() == 0)) {
                removed.add(was.lock());
            }
        });
        after.jobs().forEach((jobId, is) -> {
            MainRow was = before.jobs().get(jobId);
            LogRows old = before.journal(jobId);
            LogRows now = after.journal(jobId);
            if (!now.equals(old)) {
                checkEntries(jobId, old, now, was, is);
            }
            if (is.isClaimedSince(was)) {
                found.put(is.lock(), Optional.ofNullable(old.checkpoint()).map(LogRows.Entry::json));
            }
        });
    }

    private void checkEntries(String jobId, LogRows old, LogRows now, @Nullable MainRow was, MainRow is) {
        List<LogRows.Entry> fresh = now.since(old);
        boolean isAnother = is.claims() == 0;
        long holder = was == null || was.lock() == null ? 0 : was.claims();
        violations.require(isAnother || fresh != null, "The log of " + jobId + " was " + old + " and is " + now);
        for (LogRows.Entry entry : isAnother || fresh == null ? now.entries() : fresh) {
            violations.require(
                    entry.claim() == holder, "Into the log of " + jobId + ", which was " + was + ", came " + entry);
            if (entry.isCheckpoint()) {
                Long earlier = written.put(entry.json(), entry.number());
                violations.require(earlier == null, "In the log of " + jobId + " there is once more " + entry);
            }
        }
        LogRows.Entry last = now.lastCheckpoint();
        boolean kept = last == null ? now.checkpoint() == null : last.equals(now.checkpoint());
        violations.require(kept, "The checkpoint of " + jobId + " is not the last in " + now);
    }

    /** A checkpoint was acknowledged, with that number. An entry and the removal of its job may share a batch. */
    void wasWritten(Job<?> job, String checkpoint, long number) {
        Long there = written.get(MainRow.json(checkpoint));
        violations.require(
                there == null ? removed.contains(job.lock()) : there == number,
                job + " has no checkpoint " + number + ", " + checkpoint + ": " + there);
    }

    /** Somebody looked for a checkpoint while he held the job, before he wrote any. */
    void wasFound(Job<?> job, Optional<String> json) {
        Optional<String> expected = found.getOrDefault(job.lock(), Optional.empty());
        violations.require(json.equals(expected), job + " goes on from " + json + " and not from " + expected);
    }
}
