package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.Target;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.ledger.Ledger;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;

/**
 * Nodes that share one database. A step is a job whose type names its target, and who is given that job runs it; so the
 * claim is the accept, and nothing has to be agreed on in documents. Only the bridge of the node on which a document was
 * made writes it back.
 */
final class SharedAssignment implements Assignment {
    private final String node;
    private final CouchJobs jobs;
    private final Ledger ledger;

    SharedAssignment(BridgeContext context) {
        this.node = context.node();
        this.jobs = context.jobs();
        this.ledger = context.ledger();
    }

    @Override
    public String writer(String home) {
        return home;
    }

    @Override
    public String homeOfStrangers() {
        return node;
    }

    /** A new document is judged by whoever sees it first: all are one there. */
    @Override
    public boolean judges(String home, boolean isKnown) {
        return !isKnown || home.equals(node);
    }

    @Override
    public CompletableFuture<Kept> next(Turn turn, Kept now, boolean isNewStep) {
        if (!isNewStep) {
            return CompletableFuture.completedFuture(now);
        }
        return add(turn, now.document().step(now.document().currentStep())).thenApply(added -> now);
    }

    private CompletableFuture<Void> add(Turn turn, Step step) {
        JobDocument document = step.job();
        StepJob job = new StepJob(document.id(), step.index(), step.round());
        Target target = step.plan().target();
        if (target instanceof Target.All all) {
            addAll(turn, step, job, all);
            return CompletableFuture.completedFuture(null);
        }
        turn.add(newJob(type(target), job, document));
        return target instanceof Target.OneOf some
                ? ledger.addSet(turn.tx(), some.nodes(), () -> setTimeout(turn, some.nodes()))
                : CompletableFuture.completedFuture(null);
    }

    /** A job for each node that has not done it yet, and one that goes on when those have ended, however they do. */
    private static void addAll(Turn turn, Step step, StepJob job, Target.All all) {
        List<Dependency> parts = new ArrayList<>();
        for (String each : all.nodes()) {
            if (step.progress().run(each).filter(run -> !run.isRunning()).isEmpty()) {
                turn.add(newJob(StepTypes.of(each), job, step.job()));
                parts.add(Dependency.on(StepTypes.of(each), job.id()).orElse(DependencyPolicy.IGNORE));
            }
        }
        turn.add(newJob(StepTypes.join(), job, step.job()).after(parts));
    }

    private CompletableFuture<Void> setTimeout(Turn turn, SortedSet<String> nodes) {
        return jobs.setTypeTimeout(turn.tx(), StepTypes.of(nodes), StepTypes.TIMEOUT);
    }

    private static NewJob<StepJob> newJob(JobType<StepJob, Void> type, StepJob job, JobDocument document) {
        return NewJob.of(type, job).id(job.id()).priority(document.plan().priority());
    }

    private static JobType<StepJob, Void> type(Target target) {
        if (target instanceof Target.OneNode one) {
            return StepTypes.of(one.node());
        }
        return target instanceof Target.OneOf some ? StepTypes.of(some.nodes()) : StepTypes.any();
    }

    @Override
    public CompletableFuture<Void> stop(Turn turn, Kept before) {
        Step step = before.document().step(before.document().currentStep());
        StepJob job = new StepJob(before.document().id(), step.index(), step.round());
        List<JobType<StepJob, Void>> types = new ArrayList<>();
        if (step.plan().target() instanceof Target.All all) {
            all.nodes().forEach(each -> types.add(StepTypes.of(each)));
            types.add(StepTypes.join());
        } else {
            types.add(type(step.plan().target()));
        }
        return CompletableFuture.allOf(types.stream()
                .map(type -> jobs.remove(turn.tx(), type, job.id()))
                .toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public CompletableFuture<Void> gone(Turn turn, Kept before) {
        return CompletableFuture.completedFuture(null);
    }

    /** Whoever stops a job takes the jobs of its steps away from all nodes. */
    @Override
    public boolean speaksFor(String other) {
        return true;
    }

    @Override
    public boolean isJoined(Step step) {
        return step.plan().target() instanceof Target.All;
    }

    @Override
    public CompletableFuture<Void> resume(Turn turn) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Optional<String>> fromLine(Turn turn) {
        return CompletableFuture.completedFuture(Optional.empty());
    }

    @Override
    public CompletableFuture<Kept> claim(Turn turn, Kept now) {
        return CompletableFuture.completedFuture(now);
    }

    @Override
    public Transition begin(Step step, StepJob job, String executioner, ZonedDateTime now) {
        return step.take(node, executioner, now);
    }

    @Override
    public void goesOn(Turn turn, StepJob job, boolean now) {}

    @Override
    public CompletableFuture<Void> ended(Turn turn, StepJob job) {
        return CompletableFuture.completedFuture(null);
    }
}
