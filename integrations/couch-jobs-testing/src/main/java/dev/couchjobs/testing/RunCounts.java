package dev.couchjobs.testing;

import dev.couchjobs.JobsListener;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How often each job runs at one time. A job that is always due again would run for ever, and time would stand. */
final class RunCounts implements JobsListener {
    private static final int RUNS_MAX = 1_000;

    private final VirtualScheduler time;
    private final Map<String, Integer> runs = new HashMap<>();
    private Instant counted = Instant.MIN;
    private @Nullable String endless;

    RunCounts(VirtualScheduler time) {
        this.time = time;
    }

    @Override
    public void started(Started event) {
        Instant now = time.instant();
        if (!now.equals(counted)) {
            counted = now;
            runs.clear();
        }
        String job = event.jobId() + " of type " + event.type();
        if (runs.merge(job, 1, Integer::sum) >= RUNS_MAX) {
            endless = job;
        }
    }

    /** Runs the task of a worker. If a job runs too often, this fails after the task: no attempt is left half-way. */
    void execute(Runnable task) {
        time.execute(() -> {
            task.run();
            if (endless != null) {
                String job = endless;
                endless = null;
                runs.clear();
                throw new IllegalStateException("Job " + job + " has run " + RUNS_MAX + " times at " + counted
                        + ", and is due again: give its snooze, its retry policy or its next addition a pause.");
            }
        });
    }
}
