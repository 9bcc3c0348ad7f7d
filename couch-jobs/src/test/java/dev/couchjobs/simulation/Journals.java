package dev.couchjobs.simulation;

import dev.couchjobs.Job;
import dev.couchjobs.faults.Rows;
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
final class Journals implements Law {
    private final Complaints complaints;
    private final Map<UUID, Optional<String>> found = new HashMap<>();
    private final Map<String, Long> written = new HashMap<>();
    private final Set<UUID> removed = new HashSet<>();

    Journals(Complaints complaints) {
        this.complaints = complaints;
    }

    @Override
    public void check(Books before, Books after, List<Rows.Change> news) {
        before.jobs().forEach((jobId, was) -> {
            Line is = after.jobs().get(jobId);
            if (was.lock() != null && (is == null || is.claims() == 0)) {
                removed.add(was.lock());
            }
        });
        after.jobs().forEach((jobId, is) -> {
            Line was = before.jobs().get(jobId);
            Journal old = before.journal(jobId);
            Journal now = after.journal(jobId);
            if (!now.equals(old)) {
                checkEntries(jobId, old, now, was, is);
            }
            if (is.isClaimedSince(was)) {
                found.put(is.lock(), Optional.ofNullable(old.checkpoint()).map(Journal.Entry::json));
            }
        });
    }

    private void checkEntries(String jobId, Journal old, Journal now, @Nullable Line was, Line is) {
        List<Journal.Entry> fresh = now.since(old);
        boolean isAnother = is.claims() == 0;
        long holder = was == null || was.lock() == null ? 0 : was.claims();
        complaints.require(isAnother || fresh != null, "The log of " + jobId + " was " + old + " and is " + now);
        for (Journal.Entry entry : isAnother || fresh == null ? now.entries() : fresh) {
            complaints.require(
                    entry.claim() == holder, "Into the log of " + jobId + ", which was " + was + ", came " + entry);
            if (entry.isCheckpoint()) {
                Long earlier = written.put(entry.json(), entry.number());
                complaints.require(earlier == null, "In the log of " + jobId + " there is once more " + entry);
            }
        }
        Journal.Entry last = now.lastCheckpoint();
        boolean kept = last == null ? now.checkpoint() == null : last.equals(now.checkpoint());
        complaints.require(kept, "The checkpoint of " + jobId + " is not the last in " + now);
    }

    /** A checkpoint was acknowledged, with that number. An entry and the removal of its job may share a batch. */
    void wasWritten(Job<?> job, String checkpoint, long number) {
        Long there = written.get(Line.json(checkpoint));
        complaints.require(
                there == null ? removed.contains(job.lock()) : there == number,
                job + " has no checkpoint " + number + ", " + checkpoint + ": " + there);
    }

    /** Somebody looked for a checkpoint while he held the job, before he wrote any. */
    void wasFound(Job<?> job, Optional<String> json) {
        Optional<String> expected = found.getOrDefault(job.lock(), Optional.empty());
        complaints.require(json.equals(expected), job + " goes on from " + json + " and not from " + expected);
    }
}
