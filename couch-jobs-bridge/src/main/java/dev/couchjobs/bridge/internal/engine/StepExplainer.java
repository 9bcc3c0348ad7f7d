package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.JobReason;
import dev.couchjobs.JobState;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.StepRun;
import dev.couchjobs.bridge.internal.document.Target;
import dev.couchjobs.bridge.internal.engine.StoredState.StoredJob;
import dev.couchjobs.bridge.internal.store.DocumentEntry;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;

/** Explains to people what a step waits for. */
final class StepExplainer {
    private final String node;
    private final IntSupplier concurrency;

    /**
     * @param concurrency the number of steps that this node runs at the same time, which may change
     */
    StepExplainer(String node, IntSupplier concurrency) {
        this.node = node;
        this.concurrency = concurrency;
    }

    /**
     * {@return what a step waits for}
     *
     * @param entry the entry of its document
     * @param job the step's job, if this node may run it
     */
    String explain(Step step, DocumentEntry entry, Optional<StoredJob> job) {
        String subject = "step " + step.index() + ", for "
                + String.join(", ", step.plan().target().written()) + ", ";
        Optional<JobReason> waits =
                job.filter(stored -> stored.info().state() == JobState.PENDING).map(StoredJob::reason);
        Optional<Instant> nextTry = waits.flatMap(JobReason::until)
                .filter(time -> waits.filter(StepExplainer::isForItsTime).isPresent());
        if (nextTry.isPresent()) {
            return subject + "waits for its next try at " + nextTry.get() + failures(step);
        }
        if (!step.progress().hasBegun()) {
            return subject + notBegun(step, entry, job);
        }
        return subject
                + (step.plan().target() instanceof Target.All target ? notEnded(step, target) : begun(step, waits));
    }

    private static boolean isForItsTime(JobReason reason) {
        return reason.kind() == JobReason.Kind.SCHEDULED || reason.kind() == JobReason.Kind.RETRY;
    }

    private String failures(Step step) {
        int failed = step.progress().run(node).map(StepRun::tries).orElse(0);
        return switch (failed) {
            case 0 -> "";
            case 1 -> "; it has failed once";
            default -> "; it has failed " + failed + " times";
        };
    }

    private static String notEnded(Step step, Target.All target) {
        List<String> nodes =
                target.nodes().stream().filter(node -> !step.hasEndedOn(node)).toList();
        return "has not ended yet on " + String.join(", ", nodes);
    }

    /** {@return what a step waits for, of which one node has begun a run} */
    private String begun(Step step, Optional<JobReason> waits) {
        Map.Entry<String, StepRun> run =
                step.progress().runs().entrySet().iterator().next();
        String runner = run.getKey();
        String since = run.getValue().start().map(start -> " since " + start).orElse("");
        if (!runner.equals(node)) {
            return "runs on " + runner + since + ", as far as is known here; if " + runner
                    + " is down, the step waits for it. Ask the bridge of that node";
        }
        return waits.map(reason -> "was begun on this node, and "
                        + (reason.kind() == JobReason.Kind.WORKER
                                ? "waits for a free worker to continue"
                                : "does not continue. " + reason.text()))
                .orElse("runs on this node" + since);
    }

    private String notBegun(Step step, DocumentEntry entry, Optional<StoredJob> job) {
        Optional<String> winner = step.progress().winner().filter(name -> !name.equals(node));
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
            return waitsForSlot();
        }
        return job.map(stored -> switch (stored.info().state()) {
                    case PENDING ->
                        stored.reason().kind() == JobReason.Kind.WORKER
                                ? waitsForSlot()
                                : "does not begin. " + stored.reason().text();
                    case RUNNING -> "is about to begin";
                    default ->
                        "has not begun, and its job has ended"
                                + stored.info().error().map(text -> ": " + text).orElse("");
                })
                .orElse("has no job on this node at present");
    }

    private String waitsForSlot() {
        return "waits for a free worker: this node has " + concurrency.getAsInt();
    }
}
