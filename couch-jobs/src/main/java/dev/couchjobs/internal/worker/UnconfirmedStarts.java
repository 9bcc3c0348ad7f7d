package dev.couchjobs.internal.worker;

import java.util.ArrayList;
import java.util.List;

/**
 * Runs that have started although their rows do not say so yet, because they were claimed in a batch or prefetched.
 * Runs longer than one period are written in batches. Shorter runs need no write.
 *
 * <p>Not thread-safe.
 */
final class UnconfirmedStarts {
    private List<JobRun<?>> young = new ArrayList<>();
    private List<JobRun<?>> aged = new ArrayList<>();
    private boolean isAging;

    /** {@return whether periods are to be counted from now on} */
    boolean begun(JobRun<?> run) {
        if (run.isConfirmed()) {
            return false;
        }
        young.add(run);
        boolean first = !isAging;
        isAging = true;
        return first;
    }

    /** A period has passed: {@return the jobs that have run for a whole one} */
    List<JobRun<?>> age() {
        List<JobRun<?>> due = aged;
        due.removeIf(run -> run.isSettled() || run.isConfirmed());
        aged = young;
        aged.removeIf(JobRun::isSettled);
        young = new ArrayList<>();
        isAging = !aged.isEmpty();
        return due;
    }

    /** Whether another period is to be counted. */
    boolean isAging() {
        return isAging;
    }
}
