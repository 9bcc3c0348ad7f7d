package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.simulation.Attempt.End;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** No document waits while a worker that may take it is free. Looked at where nothing goes wrong. */
final class IdleLaw {
    /** What it takes to tell each other of it. */
    private static final Duration GRACE = Duration.ofSeconds(1);
    /** A worker that has had short jobs claims some ahead, and gives back what then waits for a round of heartbeats. */
    private static final Duration GRACE_OF_WORKERS = Duration.ofSeconds(11);

    private final BridgeScenario scenario;
    private final Collection<Task> tasks;
    private final Journal journal;
    private final Complaints complaints;
    private final Map<String, Duration> lastBusy = new HashMap<>();

    IdleLaw(BridgeScenario scenario, Collection<Task> tasks, Journal journal, Complaints complaints) {
        this.scenario = scenario;
        this.tasks = tasks;
        this.journal = journal;
        this.complaints = complaints;
    }

    void check(Duration now) {
        if (!scenario.isCalm() || scenario.hasClosings()) {
            return;
        }
        for (String node : scenario.nodes()) {
            long open = journal.attempts().stream()
                    .filter(each -> each.node.equals(node) && each.isOpen())
                    .count();
            if (open >= scenario.workers()) {
                lastBusy.put(node, now);
            }
        }
        for (Task task : tasks) {
            if (!task.isBroken() && task.time().compareTo(now) < 0) {
                check(task, now);
            }
        }
    }

    private void check(Task task, Duration now) {
        Duration ready = task.time();
        for (int step = 0; step < task.parts().size(); step++) {
            Part part = task.parts().get(step);
            List<Attempt> attempts = journal.of(task.id(), step);
            Optional<Duration> end = end(part, attempts);
            if (end.isEmpty()) {
                Set<String> begun = attempts.stream().map(each -> each.node).collect(Collectors.toSet());
                // A part that fails somewhere ends the job, and others need not begin theirs.
                if (begun.isEmpty() || (part.isForAll() && part.succeeds())) {
                    waits(task, step, ready, begun, now);
                }
                return;
            }
            ready = end.get();
        }
    }

    private void waits(Task task, int step, Duration ready, Set<String> begun, Duration now) {
        for (String node : task.parts().get(step).nodes()) {
            Duration since = lastBusy.getOrDefault(node, Duration.ZERO);
            since = since.compareTo(ready) > 0 ? since : ready;
            if (!begun.contains(node)
                    && now.minus(since).compareTo(scenario.isReplicated() ? GRACE : GRACE_OF_WORKERS) > 0) {
                complaints.add(task.id() + "[" + step + "] waits since " + ready + ", and " + node
                        + " has been free since " + since + "; it is " + now + " and these have begun: " + begun);
            }
        }
    }

    /** When the step has ended well everywhere; empty if it has not. One that has failed for good is of no interest. */
    private static Optional<Duration> end(Part part, List<Attempt> attempts) {
        Map<String, Duration> ends = new HashMap<>();
        attempts.stream()
                .filter(each -> each.end == End.SUCCESS)
                .forEach(each -> ends.merge(each.node, each.endTime(), (one, other) -> one));
        return ends.size() >= part.runs() ? ends.values().stream().max(Duration::compareTo) : Optional.empty();
    }
}
