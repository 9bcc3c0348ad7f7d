package dev.couchjobs.testing;

import dev.couchjobs.JobsListener;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How often each job runs at one time, and how many jobs are added at that time. A job that is always due again would
 * run for ever, and time would stand; so would jobs of which each adds another.
 */
final class RunCounts implements JobsListener {
    private static final int RUNS_MAX = 1_000;
    private static final int ADDED_MAX = 5_000;

    private final VirtualScheduler time;
    private final Map<String, Integer> runs = new HashMap<>();
    private Instant counted = Instant.MIN;
    private long added;
    private boolean isDriving;
    private @Nullable String endless;

    RunCounts(VirtualScheduler time) {
        this.time = time;
    }

    /** Counts what happens while the kit runs jobs. */
    void drive(Runnable run) {
        forget();
        isDriving = true;
        try {
            run.run();
        } finally {
            isDriving = false;
        }
    }

    private void forget() {
        runs.clear();
        added = 0;
        endless = null;
    }

    private void lookAtClock() {
        Instant now = time.instant();
        if (!now.equals(counted)) {
            counted = now;
            runs.clear();
            added = 0;
        }
    }

    @Override
    public void added(Added event) {
        lookAtClock();
        added += isDriving ? event.jobs() : 0;
        if (added >= ADDED_MAX) {
            endless = ADDED_MAX + " jobs were added while jobs ran at " + counted + ", the last one of type "
                    + event.type() + ". If each adds the next without end, give the next one a time to"
                    + " wait for (NewJob.at). If so many are meant, call advance or runDue again: it runs the rest.";
        }
    }

    @Override
    public void started(Started event) {
        lookAtClock();
        String job = event.jobId() + " of type " + event.type();
        if (runs.merge(job, 1, Integer::sum) >= RUNS_MAX) {
            endless = "Job " + job + " has run " + RUNS_MAX + " times at " + counted
                    + ", and is due again: give its snooze, its retry policy or its next addition a pause.";
        }
    }

    /** Runs the task of a worker. If this has no end, it fails after the task: no attempt is left half-way. */
    void execute(Runnable task) {
        time.execute(() -> {
            task.run();
            if (endless != null) {
                String why = endless;
                forget();
                throw new IllegalStateException(why);
            }
        });
    }
}
