package dev.couchjobs.bridge.internal.engine;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AsyncJobHandler;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.bridge.internal.action.Action;
import dev.couchjobs.bridge.internal.claims.ReplicatedAssignment;
import dev.couchjobs.bridge.internal.claims.SharedAssignment;
import dev.couchjobs.bridge.internal.document.ActionPlan;
import dev.couchjobs.bridge.internal.intake.ChangesConsumer;
import dev.couchjobs.bridge.internal.intake.DocumentProcessor;
import dev.couchjobs.bridge.internal.intake.Importer;
import dev.couchjobs.bridge.internal.publishing.DocumentPublisher;
import dev.couchjobs.bridge.internal.steps.RunningActions;
import dev.couchjobs.bridge.internal.steps.StepLifecycle;
import dev.couchjobs.bridge.internal.steps.StepRunner;
import dev.couchjobs.bridge.internal.store.NodeSets;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.BridgeTransactions;
import dev.couchjobs.bridge.internal.transaction.DocumentStore;
import dev.couchjobs.bridge.internal.transaction.StepAssignment;
import dev.couchjobs.bridge.internal.transaction.StepJob;
import dev.couchjobs.bridge.internal.transaction.StepTypes;
import dev.couchjobs.bridge.internal.work.WorkKind;
import dev.couchjobs.bridge.internal.work.WorkQueue;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One node's bridge: imports documents, runs steps, and writes documents to CouchDB. */
public final class BridgeEngine implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BridgeEngine.class);
    private static final int JOINERS = 4;
    /** How long running steps may continue after the close. */
    private static final Duration RUN_ON = Duration.ofSeconds(30);
    /** The time after the close at which the steps that still run are logged. */
    private static final Duration SILENCE = Duration.ofSeconds(5);
    /** How many of them are named. */
    private static final int NAMED = 10;
    /** How long the publisher may continue after the last step. */
    private static final Duration LAST_WRITES = Duration.ofSeconds(5);

    private static final int FORGET_BATCH = 100;
    private static final Duration FORGET_EVERY = Duration.ofMinutes(10);

    private final BridgeContext context;
    private final BridgeTransactions transactions;
    private final RunningActions runningActions = new RunningActions();
    private final WorkQueue work;
    private final ChangesConsumer changesConsumer;
    private final DocumentPublisher publisher;
    private final Explainer explainer;
    private final StepRunner runner;
    private final int workers;
    private final Loop sets;
    private final Optional<Loop> timeouts;
    private final Loop forgetting;
    private final Set<SortedSet<String>> served = new HashSet<>();
    private final List<Worker> started = new ArrayList<>();
    private @Nullable CompletableFuture<Void> closed;

    /**
     * @param kinds the kinds of work items that this node works on, by name
     * @param feedName identifies the feed of this node's CouchDB
     * @param process identifies this process among those of the node
     */
    public BridgeEngine(
            BridgeContext context,
            JoinMode joinMode,
            Function<ActionPlan, Action> actions,
            Map<String, WorkKind> kinds,
            int workers,
            String feedName,
            String process) {
        this.context = context;
        this.workers = workers;
        StepAssignment assignment = assignment(context, joinMode, workers);
        DocumentStore documents = new DocumentStore(context, assignment);
        DocumentProcessor documentProcessor = new DocumentProcessor(context, assignment, documents, runningActions);
        StepLifecycle course = new StepLifecycle(context, assignment, documents);
        this.transactions = new BridgeTransactions(context, assignment, documents);
        this.work = new WorkQueue(context, joinMode instanceof JoinMode.SharedDatabase, kinds, runningActions);
        Importer importer = new Importer(context, transactions, documentProcessor, work, feedName);
        this.changesConsumer = new ChangesConsumer(context, importer, feedName);
        this.publisher = new DocumentPublisher(context, importer);
        this.explainer =
                new Explainer(context, documents, new StepExplainer(context, workers), kinds.keySet(), feedName);
        this.runner = new StepRunner(context, transactions, course, runningActions, actions, process);
        this.sets = new Loop(
                "sets of nodes", context.environment(), context.database().getExecutor(), this::serveSets);
        this.timeouts = assignment
                .slots()
                .map(slots -> new Loop(
                        "timeouts of claims",
                        context.environment(),
                        context.database().getExecutor(),
                        () -> transactions.run("check timeouts of claims", slots::checkTimeouts)));
        this.forgetting = new Loop(
                "ended documents", context.environment(), context.database().getExecutor(), this::forget);
    }

    private static StepAssignment assignment(BridgeContext context, JoinMode joinMode, int workers) {
        return joinMode instanceof JoinMode.Replication replication
                ? new ReplicatedAssignment(context, replication.reservations(), workers, replication.claimTimeout())
                : new SharedAssignment(context);
    }

    /** Starts the bridge. {@return completes when it has started} */
    public CompletableFuture<Void> start() {
        return setTimeouts().thenCompose(set -> {
            serve();
            publisher.start();
            timeouts.ifPresent(Loop::wakeUp);
            forgetting.wakeUp();
            var unused = work.offerView();
            return changesConsumer.start();
        });
    }

    private CompletableFuture<Void> setTimeouts() {
        List<JobType<?, Void>> types = new ArrayList<>(List.of(StepTypes.any(), StepTypes.join()));
        types.addAll(work.types());
        context.cluster().nodes().forEach(node -> types.add(StepTypes.of(node)));
        CouchJobs jobs = context.jobs();
        return context.run(
                "set timeouts",
                tx -> CompletableFuture.allOf(types.stream()
                        .map(type -> jobs.types().setTypeTimeout(tx, type, StepTypes.TIMEOUT))
                        .toArray(CompletableFuture<?>[]::new)));
    }

    private void serve() {
        AsyncJobHandler<StepJob, Void> run = runner::run;
        started.add(worker(workers)
                .handleAsync(StepTypes.of(context.node()), run)
                .handleAsync(StepTypes.any(), run)
                .start());
        // Join jobs have workers of their own, so that long steps do not delay them.
        started.add(worker(JOINERS).handleAsync(StepTypes.join(), runner::join).start());
        // Work items have workers of their own, so that a claimed step has a free slot.
        if (work.concurrency() > 0) {
            started.add(work.subscribe(worker(work.concurrency())).start());
        }
        sets.wakeUp();
    }

    private WorkerBuilder worker(int concurrency) {
        return context.jobs()
                .worker()
                .executor(context.database().getExecutor()) // handlers do not block
                .shutdownTimeout(RUN_ON.plus(Action.STOPS_WITHIN))
                .concurrency(concurrency);
    }

    /** Subscribes to each set of nodes with this one as soon as a step targets it. */
    private CompletableFuture<Pause> serveSets() {
        NodeSets known = context.store().sets();
        return context.run(
                "read sets",
                tx -> known.all(tx).thenApply(all -> {
                    all.stream()
                            .filter(nodes -> nodes.contains(context.node()) && served.add(nodes))
                            .forEach(nodes -> started.get(0).handleAsync(StepTypes.of(nodes), runner::run));
                    return Pause.until(known.watch(tx)).butAtMost(BridgeContext.LOOK_AGAIN);
                }));
    }

    private CompletableFuture<Pause> forget() {
        Instant now = context.environment().clock().instant();
        return context.run(
                        "forget sets",
                        tx -> context.store()
                                .sets()
                                .forget(tx, LocalDate.ofInstant(now, ZoneOffset.UTC), nodes -> hasJobs(tx, nodes)))
                .thenCompose(done -> context.run("forget", tx -> context.store().forget(tx, now, FORGET_BATCH)))
                .thenApply(more -> more ? Pause.none() : Pause.atMost(FORGET_EVERY));
    }

    private CompletableFuture<Boolean> hasJobs(Transaction tx, SortedSet<String> nodes) {
        return context.jobs()
                .counts(tx, StepTypes.of(nodes))
                .thenApply(counts -> counts.pending() + counts.blocked() + counts.running() > 0);
    }

    /** {@return why a document is not being worked on, or its progress, for people} */
    public CompletableFuture<String> why(String id) {
        return explainer.of(id);
    }

    /** Closes the bridge, and waits until it is closed. */
    @Override
    public void close() {
        closeAsync().join();
    }

    /**
     * Closes the bridge: stops the import, lets running steps continue for half a minute, stops and releases the
     * others, and writes the results to CouchDB. Each part has a time limit, also if the database does not answer.
     *
     * @return completes when the bridge is closed
     */
    public synchronized CompletableFuture<Void> closeAsync() {
        if (closed == null) {
            closed = end();
        }
        return closed.copy();
    }

    private CompletableFuture<Void> end() {
        changesConsumer.close();
        sets.close();
        timeouts.ifPresent(Loop::close);
        forgetting.close();
        Future<?> notice = after(SILENCE, this::logRunning);
        Future<?> stop = after(RUN_ON, runningActions::stopAll);
        return CompletableFuture.allOf(started.stream().map(Worker::closeAsync).toArray(CompletableFuture<?>[]::new))
                .thenCompose(ended -> {
                    notice.cancel(false);
                    stop.cancel(false);
                    return started.isEmpty() ? ended() : writeBack();
                })
                .whenComplete((done, error) -> publisher.close());
    }

    private void logRunning() {
        List<String> all = runningActions.describe();
        if (!all.isEmpty()) {
            LOG.info(
                    "Node {}: waiting for {} to end: {}{}; steps that still run in {} s are stopped and released",
                    context.node(),
                    all.size() == 1 ? "1 step" : all.size() + " steps",
                    String.join(", ", all.subList(0, Math.min(NAMED, all.size()))),
                    all.size() > NAMED ? " and others" : "",
                    RUN_ON.minus(SILENCE).toSeconds());
        }
    }

    private CompletableFuture<Void> writeBack() {
        CompletableFuture<Void> written = publisher.idle();
        Future<?> tooLate = after(LAST_WRITES, () -> written.complete(null));
        return written.whenComplete((done, error) -> tooLate.cancel(false));
    }

    private Future<?> after(Duration delay, Runnable task) {
        return context.environment()
                .scheduler()
                .schedule(() -> context.database().getExecutor().execute(task), delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static CompletableFuture<Void> ended() {
        return CompletableFuture.completedFuture(null);
    }
}
