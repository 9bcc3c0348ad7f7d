package dev.couchjobs.internal.worker;

import dev.couchjobs.Worker;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.loop.LogText;
import dev.couchjobs.internal.views.ClaimedJob;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs failures where the worker runs: an error stored with a job is visible only to readers of the job. */
final class FailureLog {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    private FailureLog() {}

    /** Logs the error of an attempt, if it has failed. */
    static void logFailure(JobRun<?> run, Disposition disposition) {
        if (!(disposition instanceof Disposition.Failed failed)) {
            return;
        }
        ClaimedJob<?> job = run.job();
        int maxAttempts = job.retry().maxAttempts();
        int attempt = Math.min(job.failures() + 1, maxAttempts);
        LogContext.around(run, () -> {
            if (failed.again() && attempt < maxAttempts) {
                LOG.info(
                        "{} failed in attempt {} of {} and is tried again: {}",
                        run,
                        attempt,
                        maxAttempts,
                        LogText.of(failed.error()));
            } else {
                LOG.warn(
                        "{} failed for good in attempt {} of {}: {}",
                        run,
                        attempt,
                        maxAttempts,
                        LogText.of(failed.error()));
            }
        });
    }
}
