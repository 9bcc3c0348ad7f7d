package dev.couchjobs.internal.worker;

import dev.couchjobs.Worker;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.views.ClaimedJob;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs failures where the worker runs: what is kept with a job is visible only to its readers. */
final class FailureLog {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    private FailureLog() {}

    /** Logs how an attempt has ended, if it has failed. */
    static void tell(JobRun<?> run, Disposition disposition) {
        if (!(disposition instanceof Disposition.Failed failed)) {
            return;
        }
        ClaimedJob<?> job = run.job();
        int most = job.retry().maxAttempts();
        int attempt = Math.min(job.failures() + 1, most);
        if (failed.again() && attempt < most) {
            LOG.info("{} failed in attempt {} of {} and is tried again: {}", run, attempt, most, failed.error());
        } else {
            LOG.warn("{} failed for good in attempt {} of {}: {}", run, attempt, most, failed.error());
        }
    }
}
