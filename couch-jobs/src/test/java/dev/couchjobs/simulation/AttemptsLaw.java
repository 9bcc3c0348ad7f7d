package dev.couchjobs.simulation;

import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import dev.couchjobs.faults.TypeRows;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The claims on a job are numbered one by one, those that were attempts make its history, and no job is tried more
 * often than its retry policy allows.
 */
final class AttemptsLaw implements Law {
    private final int maxOfType;
    private final Calls calls;
    private final Violations violations;
    private final Map<String, Integer> begunAnew = new HashMap<>();

    AttemptsLaw(JobsScenario scenario, Calls calls, Violations violations) {
        this.maxOfType = scenario.type().retry().maxAttempts();
        this.calls = calls;
        this.violations = violations;
    }

    @Override
    public void check(DerivedRows before, DerivedRows after, List<TypeRows.Change> news) {
        after.jobs().forEach((jobId, is) -> {
            MainRow was = before.jobs().get(jobId);
            if (was == null || !is.equals(was.inGraph(is.graph()))) {
                boolean well = isNumbered(jobId, was, is) && isAllowed(was, is);
                violations.require(well, () -> jobId + " was tried too often or miscounted: from " + was + " to " + is);
                Set<Long> history = history(before.attempts().getOrDefault(jobId, Set.of()), was, is);
                violations.require(
                        history.equals(after.attempts().getOrDefault(jobId, Set.of())),
                        () -> "the history of " + jobId + " is "
                                + after.attempts().get(jobId) + " and not " + history + ": from " + was + " to " + is);
            }
        });
    }

    /**
     * An attempt moves there when the next claim is made or the job is cancelled; a claim under which no work began was
     * none.
     */
    private static Set<Long> history(Set<Long> known, @Nullable MainRow was, MainRow is) {
        if (is.claims() == 0) {
            return Set.of();
        }
        Set<Long> history = new HashSet<>(known);
        if (was != null && (is.isClaimedSince(was) || isCancelled(was, is)) && was.begun() && was.claims() > 0) {
            history.add(was.claims());
        }
        return history;
    }

    private static boolean isCancelled(MainRow was, MainRow is) {
        return was.state() == JobState.PENDING && (is.isFinished(Outcome.CANCELLED) || is.isFinished(Outcome.EXPIRED));
    }

    private boolean isNumbered(String jobId, @Nullable MainRow was, MainRow is) {
        if (was == null) {
            return is.claims() == 0 && is.failures() == 0;
        }
        if (is.isClaimedSince(was)) {
            return is.claims() == was.claims() + 1 && is.failures() == was.failures();
        }
        if (is.claims() == 0 && was.claims() > 0) {
            int times = begunAnew.merge(jobId, 1, Integer::sum);
            return is.state() == JobState.PENDING && times <= calls.removing.getOrDefault(jobId, 0);
        }
        return is.claims() == was.claims() && isCounted(was, is);
    }

    /** Whoever enqueues a job gives it all its attempts; one that is only tried again has those that are left. */
    private static boolean isCounted(MainRow was, MainRow is) {
        boolean ends = was.state() == JobState.RUNNING && is.state() != JobState.RUNNING;
        int left = was.failures() + (ends && is.countsAsFailure() ? 1 : 0);
        boolean again = is.state() == JobState.PENDING && (!ends || was.resubmit() || "succeeded".equals(is.how()));
        boolean mustBeFresh = again && ends && !"handed_back".equals(is.how());
        return (!mustBeFresh && is.failures() == left) || (again && is.failures() == 0);
    }

    private boolean isAllowed(@Nullable MainRow was, MainRow is) {
        int most = is.attemptsMax() == 0 ? maxOfType : is.attemptsMax();
        boolean triedInVain = is.state() == JobState.FINISHED && is.attemptFailed();
        if (!triedInVain) {
            return is.state() == JobState.FINISHED || is.failures() < most;
        }
        boolean hasRun = was != null && was.state() == JobState.RUNNING;
        return hasRun ? is.failures() == most : is.failures() < most;
    }
}
