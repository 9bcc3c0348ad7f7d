package dev.couchjobs.simulation;

import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
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
 * No job may run before all that it waits for have come to the end that its policies ask for, and none fails for
 * another that has not failed it. Each commit on a job is seen by itself, so no end of a dependency goes unseen.
 */
final class DependenciesLaw implements Law {
    private final Calls calls;
    private final Violations violations;
    private final Map<String, List<Dependency>> dependencies = new HashMap<>();
    private final Map<String, Dependent> waiting = new HashMap<>();

    DependenciesLaw(Calls calls, Violations violations) {
        this.calls = calls;
        this.violations = violations;
    }

    /** What has become of the dependencies of a job since it is there. */
    private static final class Dependent {
        final Set<String> succeeded = new HashSet<>();
        final Set<String> endedOtherwise = new HashSet<>();

        void see(String jobId, @Nullable MainRow job) {
            if (job == null) {
                endedOtherwise.add(jobId);
            } else if (job.state() == JobState.FINISHED) {
                (job.isFinished(Outcome.SUCCEEDED) ? succeeded : endedOtherwise).add(jobId);
            }
        }
    }

    /** Somebody is about to add a job, whose id is new, that waits for others. */
    void adding(String jobId, List<Dependency> others) {
        dependencies.put(jobId, others);
        waiting.put(jobId, new Dependent());
    }

    @Override
    public void check(DerivedRows before, DerivedRows after, List<TypeRows.Change> news) {
        waiting.entrySet().removeIf(entry -> {
            String jobId = entry.getKey();
            MainRow is = after.jobs().get(jobId);
            if (is == null) {
                return before.jobs().containsKey(jobId); // else it is still to come
            }
            for (Dependency each : dependencies.getOrDefault(jobId, List.of())) {
                entry.getValue().see(each.jobId(), before.jobs().get(each.jobId()));
                entry.getValue().see(each.jobId(), after.jobs().get(each.jobId()));
            }
            if (!is.isBlocked()) {
                checkEnd(jobId, is, entry.getValue(), after);
            }
            return !is.isBlocked();
        });
    }

    private void checkEnd(String jobId, MainRow is, Dependent seen, DerivedRows after) {
        List<Dependency> others = dependencies.getOrDefault(jobId, List.of());
        boolean isCancelled = is.isFinished(Outcome.CANCELLED) && calls.cancelling.containsKey(jobId);
        boolean well = is.state() == JobState.FINISHED
                ? isCancelled
                        || is.isFinished(Outcome.EXPIRED)
                        || others.stream().anyMatch(other -> fails(other, seen))
                : others.stream().allMatch(other -> isDone(other, seen));
        violations.require(
                well, () -> jobId + " is " + is + ", and waited for " + others + ", which came to " + after.jobs());
    }

    private boolean fails(Dependency other, Dependent seen) {
        return other.policy() == DependencyPolicy.FAIL && hasEndedOtherwise(other, seen);
    }

    private boolean isDone(Dependency other, Dependent seen) {
        return seen.succeeded.contains(other.jobId())
                || (other.policy() == DependencyPolicy.IGNORE && hasEndedOtherwise(other, seen));
    }

    /** One that is removed and added again by one commit is there before and after. */
    private boolean hasEndedOtherwise(Dependency other, Dependent seen) {
        return seen.endedOtherwise.contains(other.jobId()) || calls.removing.containsKey(other.jobId());
    }

    /** {@return whether a job may go on waiting though nothing happens any more} */
    boolean mayWaitForEver(String jobId, DerivedRows rows) {
        MainRow job = rows.jobs().get(jobId);
        return job != null
                && job.isBlocked()
                && dependencies.getOrDefault(jobId, List.of()).stream()
                        .anyMatch(other -> isHopeless(other, rows) || mayWaitForEver(other.jobId(), rows));
    }

    private static boolean isHopeless(Dependency other, DerivedRows rows) {
        MainRow job = rows.jobs().get(other.jobId());
        boolean ended = job == null || job.state() == JobState.FINISHED;
        boolean goesOn = other.policy() == DependencyPolicy.WAIT || other.policy() == DependencyPolicy.EXPECT;
        return goesOn && ended && !(job != null && job.isFinished(Outcome.SUCCEEDED));
    }
}
