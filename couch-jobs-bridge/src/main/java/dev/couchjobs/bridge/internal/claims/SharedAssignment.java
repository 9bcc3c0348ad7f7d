package dev.couchjobs.bridge.internal.claims;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.bridge.internal.OneLine;
import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.Target;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.store.NodeSets;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.BridgeTransaction;
import dev.couchjobs.bridge.internal.transaction.StepAssignment;
import dev.couchjobs.bridge.internal.transaction.StepJob;
import dev.couchjobs.bridge.internal.transaction.StepSlots;
import dev.couchjobs.bridge.internal.transaction.StepTypes;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules for nodes that share one database. A step is a job whose type names the target. The node that accepts the
 * job runs the step, so documents need no claims. Only the bridge of the creator node writes a document.
 */
public final class SharedAssignment implements StepAssignment {
    private static final Logger LOG = LoggerFactory.getLogger(SharedAssignment.class);

    private final String node;
    private final CouchJobs jobs;
    private final NodeSets sets;
    private final InstantSource clock;
    private final boolean isRecovering;

    /** @param isRecovering whether the store was lost, and documents are the only word there is */
    public SharedAssignment(BridgeContext context, boolean isRecovering) {
        this.isRecovering = isRecovering;
        this.node = context.node();
        this.jobs = context.jobs();
        this.sets = context.store().sets();
        this.clock = context.environment().clock();
    }

    @Override
    public String writer(String home) {
        return home;
    }

    @Override
    public String homeOfStrangers() {
        return node;
    }

    /** The first node that imports a new document judges it, in the database of all. */
    @Override
    public boolean isAuthorityFor(String home, boolean isKnown) {
        return !isKnown || home.equals(node);
    }

    /** All bridges write into one store before a document has it. */
    @Override
    public JobDocument believed(JobDocument known, JobDocument all) {
        return known;
    }

    @Override
    public JobDocument asShown(JobDocument stored, JobDocument shown) {
        return stored;
    }

    @Override
    public boolean knowsAll() {
        return true;
    }

    @Override
    public boolean believesNewDocuments() {
        return isRecovering;
    }

    @Override
    public CompletableFuture<Kept> next(BridgeTransaction transaction, Kept now, boolean isNewStep) {
        if (!isNewStep) {
            return CompletableFuture.completedFuture(now);
        }
        return add(transaction, now.document().step(now.document().currentStep()))
                .thenApply(added -> now);
    }

    private CompletableFuture<Void> add(BridgeTransaction transaction, Step step) {
        JobDocument document = step.job();
        StepJob job = new StepJob(document.id(), step.index(), step.round());
        Target target = step.plan().target();
        if (target instanceof Target.All all) {
            addAll(transaction, step, job, all);
            return CompletableFuture.completedFuture(null);
        }
        return typeOf(transaction, target, job).thenAccept(type -> transaction.add(newJob(type, job, document)));
    }

    private CompletableFuture<JobType<StepJob, Void>> typeOf(
            BridgeTransaction transaction, Target target, StepJob job) {
        if (!(target instanceof Target.OneOf some)) {
            return CompletableFuture.completedFuture(type(target));
        }
        LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        return sets.use(transaction.tx(), some.nodes(), today, () -> setTimeout(transaction, some.nodes()))
                .thenApply(isKnown -> isKnown ? StepTypes.of(some.nodes()) : ofOneAmong(some.nodes(), job));
    }

    /** The number of sets that have a type of their own is limited. */
    private static JobType<StepJob, Void> ofOneAmong(SortedSet<String> nodes, StepJob job) {
        LOG.warn(
                "There are too many sets of nodes as targets; job[{}] of document {} goes to one fixed node of"
                        + " its set; a group of the configuration is one set",
                job.step(),
                OneLine.of(job.document()));
        return StepTypes.of(List.copyOf(nodes).get(Math.floorMod(job.hashCode(), nodes.size())));
    }

    /**
     * Adds a job for each node that has not run the step, and a join job that runs after them, whatever their outcomes.
     */
    private static void addAll(BridgeTransaction transaction, Step step, StepJob job, Target.All all) {
        List<Dependency> parts = new ArrayList<>();
        for (String each : all.nodes()) {
            if (step.progress().run(each).filter(run -> !run.isRunning()).isEmpty()) {
                transaction.add(newJob(StepTypes.of(each), job, step.job()));
                parts.add(Dependency.on(StepTypes.of(each), job.id()).ifUnsuccessful(DependencyPolicy.IGNORE));
            }
        }
        transaction.add(newJob(StepTypes.join(), job, step.job()).after(parts));
    }

    private CompletableFuture<Void> setTimeout(BridgeTransaction transaction, SortedSet<String> nodes) {
        return jobs.types().setTypeTimeout(transaction.tx(), StepTypes.of(nodes), StepTypes.TIMEOUT);
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
    public CompletableFuture<Void> reprioritise(BridgeTransaction transaction, Kept before, int priority) {
        return ofStep(before, (type, id) -> jobs.control().reprioritise(transaction.tx(), type, id, priority));
    }

    @Override
    public CompletableFuture<Void> stop(BridgeTransaction transaction, Kept before) {
        return ofStep(before, (type, id) -> jobs.remove(transaction.tx(), type, id));
    }

    /** Applies a verb to the jobs of the current step, whatever their types are. */
    private static CompletableFuture<Void> ofStep(
            Kept before, BiFunction<JobType<StepJob, Void>, String, CompletableFuture<?>> verb) {
        Step step = before.document().step(before.document().currentStep());
        StepJob job = new StepJob(before.document().id(), step.index(), step.round());
        List<JobType<StepJob, Void>> types = new ArrayList<>();
        if (step.plan().target() instanceof Target.All all) {
            all.nodes().forEach(each -> types.add(StepTypes.of(each)));
            types.add(StepTypes.join());
        } else {
            types.add(type(step.plan().target()));
        }
        if (step.plan().target() instanceof Target.OneOf some) {
            some.nodes().forEach(each -> types.add(StepTypes.of(each))); // see ofOneAmong
        }
        return CompletableFuture.allOf(
                types.stream().map(type -> verb.apply(type, job.id())).toArray(CompletableFuture<?>[]::new));
    }

    /** The node that stops a job removes the jobs of its steps from all nodes. */
    @Override
    public boolean mayReportStopOf(String stopped) {
        return true;
    }

    @Override
    public boolean isJoined(Step step) {
        return step.plan().target() instanceof Target.All;
    }

    @Override
    public CompletableFuture<Transition> begin(
            BridgeTransaction transaction, Step step, StepJob job, String executioner, ZonedDateTime now) {
        return CompletableFuture.completedFuture(step.take(node, executioner, now));
    }

    @Override
    public Optional<StepSlots> slots() {
        return Optional.empty();
    }
}
