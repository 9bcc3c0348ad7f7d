package dev.couchjobs.internal.worker;

import dev.couchjobs.internal.views.ClaimedJob;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** The job of an attempt in the diagnostic context of a thread's log (MDC). */
final class LogContext {
    private static final String TYPE = "couchjobs.type";
    private static final String ID = "couchjobs.id";
    private static final String ATTEMPT = "couchjobs.attempt";

    private LogContext() {}

    /** Runs an action with the job of a run in the context of this thread, and restores the context. */
    static void around(JobRun<?> run, Runnable action) {
        String outerType = MDC.get(TYPE);
        String outerId = MDC.get(ID);
        String outerAttempt = MDC.get(ATTEMPT);
        ClaimedJob<?> job = run.job();
        MDC.put(TYPE, job.type().name());
        MDC.put(ID, job.id());
        MDC.put(ATTEMPT, Integer.toString(job.failures() + 1));
        try {
            action.run();
        } finally {
            restore(TYPE, outerType);
            restore(ID, outerId);
            restore(ATTEMPT, outerAttempt);
        }
    }

    private static void restore(String key, @Nullable String outer) {
        if (outer == null) {
            MDC.remove(key);
        } else {
            MDC.put(key, outer);
        }
    }
}
