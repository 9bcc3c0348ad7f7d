package dev.couchjobs.bridge.internal.document;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Decides which changes are worth a revision. A failed try that another one follows, on any node, and a repeated
 * beginning are not; the next revision contains them.
 */
public final class RevisionPolicy {
    private RevisionPolicy() {}

    public static boolean between(JobDocument before, JobDocument now) {
        if (before.equals(now)) {
            return false;
        }
        JobDocument one = before;
        JobDocument other = now;
        for (int step = 0; step < before.plan().steps().size(); step++) {
            boolean isTriedAgain = hasFailedTries(before.step(step)) || hasFailedTries(now.step(step));
            one = one.withStep(step, withoutTries(before.step(step), isTriedAgain));
            other = other.withStep(step, withoutTries(now.step(step), isTriedAgain));
        }
        return !one.equals(other);
    }

    private static boolean hasFailedTries(Step step) {
        return step.progress().runs().values().stream().anyMatch(run -> run.tries() > 0);
    }

    /** Another node may make the next try. */
    private static StepProgress withoutTries(Step step, boolean isTriedAgain) {
        StepProgress progress = step.progress();
        if (progress.runs().values().stream().noneMatch(StepRun::isRunning)) {
            return progress;
        }
        return step.plan().target() instanceof Target.All
                ? each(progress)
                : only(progress, isTriedAgain ? "" : progress.runs().firstKey());
    }

    private static StepProgress each(StepProgress progress) {
        SortedMap<String, StepRun> runs = new TreeMap<>();
        for (Map.Entry<String, StepRun> run : progress.runs().entrySet()) {
            runs.put(run.getKey(), run.getValue().isRunning() ? begun() : run.getValue());
        }
        return new StepProgress(progress.withdrawn(), progress.claimedBy(), progress.winner(), runs);
    }

    private static StepProgress only(StepProgress progress, String node) {
        SortedMap<String, StepRun> runs = new TreeMap<>();
        runs.put(node, begun());
        return new StepProgress(progress.withdrawn(), Optional.of(node), Optional.of(node), runs);
    }

    private static StepRun begun() {
        return new StepRun(1, "", StepRun.Status.RUNNING, Optional.empty(), Optional.empty(), 0, Optional.empty());
    }
}
