package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.StepRun;
import dev.couchjobs.bridge.internal.document.Target;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Explains to people what a step waits for. */
final class StepExplainer {
    private final String node;
    private final InstantSource clock;
    private final int workers;

    /** @param workers how many steps this node runs at once */
    StepExplainer(BridgeContext context, int workers) {
        this.node = context.node();
        this.clock = context.environment().clock();
        this.workers = workers;
    }

    /**
     * {@return what a step waits for}
     *
     * @param entry the entry of its document
     * @param job the step's job, if this node may run it
     */
    String of(Step step, DocumentEntry entry, Optional<? extends JobInfo<?, ?>> job) {
        String what = "step " + step.index() + ", for "
                + String.join(", ", step.plan().target().written()) + ", ";
        boolean isPending = job.filter(here -> here.state() == JobState.PENDING).isPresent();
        Optional<Instant> nextTry = job.filter(here -> isPending)
                .flatMap(JobInfo::scheduledTime)
                .filter(due -> due.isAfter(clock.instant()));
        if (nextTry.isPresent()) {
            return what + "waits for its next try at " + nextTry.get() + failures(step);
        }
        if (!step.progress().hasBegun()) {
            return what + open(step, entry, job);
        }
        return what + (step.plan().target() instanceof Target.All all ? missing(step, all) : begun(step, isPending));
    }

    private String failures(Step step) {
        int failed = step.progress().run(node).map(StepRun::tries).orElse(0);
        return switch (failed) {
            case 0 -> "";
            case 1 -> "; it has failed once";
            default -> "; it has failed " + failed + " times";
        };
    }

    private static String missing(Step step, Target.All all) {
        List<String> missing =
                all.nodes().stream().filter(node -> !step.hasEndedOn(node)).toList();
        return "has not ended yet on " + String.join(", ", missing);
    }

    /** {@return what a step waits for that one node has begun} */
    private String begun(Step step, boolean isPending) {
        Map.Entry<String, StepRun> run =
                step.progress().runs().entrySet().iterator().next();
        String other = run.getKey();
        String since = run.getValue().start().map(start -> " since " + start).orElse("");
        if (!other.equals(node)) {
            return "runs on " + other + since + ", as far as is known here; if " + other
                    + " is down, the step waits for it. Ask the bridge of that node";
        }
        return isPending
                ? "was begun on this node, and waits for a free worker to continue"
                : "runs on this node" + since;
    }

    private String open(Step step, DocumentEntry entry, Optional<? extends JobInfo<?, ?>> job) {
        Optional<String> winner = step.progress().winner().filter(other -> !other.equals(node));
        if (winner.isPresent()) {
            return "was given to " + winner.get() + ", which is not known to have begun it; if " + winner.get()
                    + " stays silent for claim_timeout, another node gets the step. Ask the bridge of that node";
        }
        Optional<String> claimant = step.progress().claimedBy();
        if (claimant.isPresent() && step.progress().winner().isEmpty()) {
            return "is claimed by " + claimant.get() + " and waits until the bridge of " + entry.home()
                    + ", where the document was created, names it the winner";
        }
        if (!step.plan().target().includes(node)) {
            return "is not for this node. Ask the bridge of one of its target nodes";
        }
        if (entry.waitsSince().isPresent()) {
            return waiting();
        }
        return job.map(here -> switch (here.state()) {
                    case PENDING -> waiting();
                    case RUNNING -> "is about to begin";
                    default ->
                        "has not begun, and its job has ended"
                                + here.error().map(why -> ": " + why).orElse("");
                })
                .orElse("has no job on this node at present");
    }

    private String waiting() {
        return "waits for a free worker: this node has " + workers;
    }
}
