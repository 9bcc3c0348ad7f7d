package dev.couchjobs.internal.worker;

import dev.couchjobs.ReleaseReason;
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

    /** Logs the error of an attempt, if it has failed or there was no memory left for it. */
    static void logFailure(JobRun<?> run, Disposition disposition) {
        if (disposition instanceof Disposition.Released released && released.error() != null) {
            logRelease(run, released.reason(), released.error());
            return;
        }
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

    private static void logRelease(JobRun<?> run, ReleaseReason reason, String error) {
        int releases = run.job().releases(reason);
        int max = run.job().type().maxReleases(reason);
        LogContext.around(run, () -> {
            if (releases < max) {
                LOG.warn("{} is released, {} of {} times: {}", run, releases + 1, max, LogText.of(error));
            } else {
                LOG.warn("{} failed for good after {} releases: {}", run, releases, LogText.of(error));
            }
        });
    }
}
