package dev.couchjobs.simulation;

import dev.couchjobs.JobCancelledException;
import dev.couchjobs.JobExpiredException;
import dev.couchjobs.JobFailedException;
import dev.couchjobs.JobNotFoundException;
import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import dev.couchjobs.faults.TypeRows;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A result is what the attempt that ended the job gave. Whoever waits is told of a result or a failure only if the job
 * stood so since he asked.
 */
final class ResultsLaw implements Law {
    private final Violations violations;
    private final Map<String, List<Stand>> stands = new HashMap<>();
    private long moment;

    ResultsLaw(Violations violations) {
        this.violations = violations;
    }

    /** What a job was from some moment on; null while it was not there. */
    private record Stand(long since, @Nullable MainRow job) {}

    @Override
    public void check(DerivedRows before, DerivedRows after, List<TypeRows.Change> news) {
        moment++;
        after.jobs().forEach((jobId, is) -> {
            MainRow was = before.jobs().get(jobId);
            if (!is.equals(was)) {
                note(jobId, is);
                checkGiven(jobId, was, is);
            }
        });
        before.jobs().keySet().stream()
                .filter(jobId -> !after.jobs().containsKey(jobId))
                .forEach(jobId -> note(jobId, null));
    }

    private void note(String jobId, @Nullable MainRow job) {
        stands.computeIfAbsent(jobId, unused -> new ArrayList<>()).add(new Stand(moment, job));
    }

    /** Whoever gives a result here gives his claim for one. */
    private void checkGiven(String jobId, @Nullable MainRow was, MainRow is) {
        boolean isNew = is.result() != null && (was == null || was.state() != JobState.FINISHED);
        boolean own = !isNew
                || (was != null
                        && was.lock() != null
                        && MainRow.json(was.lock().toString()).equals(is.result()));
        violations.require(own, () -> jobId + " was " + was + " and has the result of another: " + is);
    }

    /** {@return tells what was seen before from what is seen after} */
    long moment() {
        return moment;
    }

    /** Somebody who asked at that moment was given a result. */
    void wasGiven(String jobId, long asked, @Nullable String result) {
        String json = result == null ? null : MainRow.json(result);
        require(
                jobId,
                asked,
                job -> job != null && job.isFinished(Outcome.SUCCEEDED) && Objects.equals(job.result(), json),
                "the result " + result);
    }

    /** Somebody who asked at that moment was given none. */
    void wasRefused(String jobId, long asked, boolean atOnce, Throwable error) {
        if (error instanceof JobFailedException) {
            require(jobId, asked, job -> job != null && job.isFinished(Outcome.FAILED), error);
        } else if (error instanceof JobCancelledException) {
            require(jobId, asked, job -> job != null && job.isFinished(Outcome.CANCELLED), error);
        } else if (error instanceof JobExpiredException) {
            require(jobId, asked, job -> job != null && job.isFinished(Outcome.EXPIRED), error);
        } else if (error instanceof JobNotFoundException) {
            require(jobId, asked, Objects::isNull, error);
        } else if (atOnce) {
            require(jobId, asked, job -> job != null && job.state() != JobState.FINISHED, error);
        }
    }

    private void require(String jobId, long asked, Predicate<@Nullable MainRow> expected, Object told) {
        List<Stand> all = stands.getOrDefault(jobId, List.of());
        int last = all.size() - 1;
        boolean stood = last < 0 && expected.test(null);
        while (!stood && last >= 0) {
            stood = expected.test(all.get(last).job());
            last = all.get(last).since() <= asked ? -1 : last - 1;
        }
        boolean wasNotYet = !all.isEmpty() && all.get(0).since() > asked && expected.test(null);
        violations.require(stood || wasNotYet, () -> "Who asked for " + jobId + " was told " + told + ": " + all);
    }
}
