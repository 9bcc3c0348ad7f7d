package dev.couchjobs.bridge.internal.engine;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AsyncJobHandler;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.bridge.BridgeNode;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One node's bridge: imports documents, runs steps, and writes documents to CouchDB. */
public final class BridgeEngine implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BridgeEngine.class);
    private static final int JOIN_CONCURRENCY = 4;
    /** The time after the start of the close at which steps that still run are stopped. */
    private static final Duration STOP_AFTER = Duration.ofSeconds(30);
    /** The time after the start of the close at which steps that still run are logged. */
    private static final Duration LOG_RUNNING_AFTER = Duration.ofSeconds(5);
    /** The maximum number of steps that the log names. */
    private static final int MAX_LOGGED = 10;
    /** How long the publisher may continue after the last step. */
    private static final Duration PUBLISH_TIMEOUT = Duration.ofSeconds(5);

    private static final int CLEANUP_BATCH = 100;
    private static final Duration CLEANUP_INTERVAL = Duration.ofMinutes(10);

    private final BridgeContext context;
    private final BridgeTransactions transactions;
    private final RunningActions runningActions = new RunningActions();
    private final WorkQueue workQueue;
    private final ChangesConsumer changesConsumer;
    private final DocumentPublisher publisher;
    private final Explainer explainer;
    private final StepRunner runner;
    /** How many steps run at once. */
    private final AtomicInteger concurrency;

    private final boolean reservesSlots;
    private final Loop nodeSetLoop;
    private final Optional<Loop> timeoutLoop;
    private final Loop cleanupLoop;
    private final Set<SortedSet<String>> servedSets = new HashSet<>();
    private final List<Worker> workers = new CopyOnWriteArrayList<>();
    private @Nullable Worker itemWorker;
    private Map<String, Integer> itemConcurrency = Map.of();
    private @Nullable CompletableFuture<Void> closed;

    /**
     * @param kinds the kinds of work items that this node works on, by name
     * @param concurrency the number of steps that this node runs at the same time, at first
     * @param feedName identifies the feed of this node's CouchDB
     * @param process identifies this process among those of the node
     */
    public BridgeEngine(
            BridgeContext context,
            JoinMode joinMode,
            Function<ActionPlan, Action> actions,
            Map<String, WorkKind> kinds,
            int concurrency,
            String feedName,
            String process) {
        this.context = context;
        this.concurrency = new AtomicInteger(concurrency);
        StepAssignment assignment = assignment(context, joinMode, this.concurrency::get);
        this.reservesSlots = assignment.slots().isPresent();
        DocumentStore documents = new DocumentStore(context, assignment);
        DocumentProcessor documentProcessor = new DocumentProcessor(context, assignment, documents, runningActions);
        StepLifecycle lifecycle = new StepLifecycle(context, assignment, documents);
        this.transactions = new BridgeTransactions(context, assignment, documents);
        this.workQueue = new WorkQueue(context, joinMode instanceof JoinMode.SharedDatabase, kinds, runningActions);
        Importer importer = new Importer(context, transactions, documentProcessor, workQueue, feedName);
        this.changesConsumer = new ChangesConsumer(context, importer, feedName);
        this.publisher = new DocumentPublisher(context, importer);
        StoreExplainer.Source source =
                new StoreExplainer.Source(context.node(), context.cluster(), context.store(), context.jobs(), feedName);
        this.explainer = new Explainer(context, new StoreExplainer(source, this.concurrency::get), kinds.keySet());
        this.runner = new StepRunner(context, transactions, lifecycle, runningActions, actions, process);
        this.nodeSetLoop = new Loop("sets of nodes", context.environment(), context.executor(), this::serveNodeSets);
        this.timeoutLoop = assignment
                .slots()
                .map(slots -> new Loop(
                        "timeouts of claims",
                        context.environment(),
                        context.executor(),
                        () -> transactions.run("check timeouts of claims", slots::checkTimeouts)));
        this.cleanupLoop = new Loop("ended documents", context.environment(), context.executor(), this::cleanUp);
    }

    private static StepAssignment assignment(BridgeContext context, JoinMode joinMode, IntSupplier concurrency) {
        return joinMode instanceof JoinMode.Replication replication
                ? new ReplicatedAssignment(context, replication.reservations(), concurrency, replication.claimTimeout())
                : new SharedAssignment(context, ((JoinMode.SharedDatabase) joinMode).isRecovering());
    }

    /** Starts the bridge. {@return completes when it has started; fails if it was closed before} */
    public CompletableFuture<Void> start() {
        return setTimeouts().thenCompose(done -> startParts());
    }

    private synchronized CompletableFuture<Void> startParts() {
        if (closed != null) {
            return CompletableFuture.failedFuture(new IllegalStateException("The bridge is closed"));
        }
        startWorkers();
        publisher.start();
        timeoutLoop.ifPresent(Loop::wakeUp);
        cleanupLoop.wakeUp();
        var unused = workQueue.offerView();
        return changesConsumer.start();
    }

    private CompletableFuture<Void> setTimeouts() {
        List<JobType<?, Void>> types = new ArrayList<>(List.of(StepTypes.any(), StepTypes.join()));
        types.addAll(workQueue.types());
        context.cluster().nodes().forEach(node -> types.add(StepTypes.of(node)));
        CouchJobs jobs = context.jobs();
        return context.run(
                "set timeouts",
                tx -> CompletableFuture.allOf(types.stream()
                        .map(type -> jobs.types().setTypeTimeout(tx, type, StepTypes.TIMEOUT))
                        .toArray(CompletableFuture<?>[]::new)));
    }

    private synchronized void startWorkers() {
        AsyncJobHandler<StepJob, Void> handler = runner::run;
        workers.add(worker(concurrency.get())
                .handleAsync(StepTypes.of(context.node()), handler)
                .handleAsync(StepTypes.any(), handler)
                .start());
        // Join jobs have a worker of their own, so that long steps do not delay them.
        workers.add(worker(JOIN_CONCURRENCY)
                .handleAsync(StepTypes.join(), runner::join)
                .start());
        // Work items have a worker of their own, so that a claimed step has a free slot.
        if (workQueue.concurrency() > 0) {
            itemWorker = workQueue.subscribe(worker(workQueue.concurrency())).start();
            workers.add(itemWorker);
            setConcurrency(itemConcurrency);
        }
        nodeSetLoop.wakeUp();
    }

    private WorkerBuilder worker(int slots) {
        return context.jobs()
                .worker()
                .executor(context.executor()) // handlers do not block
                .shutdownTimeout(STOP_AFTER.plus(Action.STOPS_WITHIN))
                .concurrency(slots);
    }

    /** Subscribes to each set of nodes that contains this node, as soon as a step targets the set. */
    private CompletableFuture<Pause> serveNodeSets() {
        NodeSets nodeSets = context.store().sets();
        return context.run(
                "read sets",
                tx -> nodeSets.all(tx).thenApply(sets -> {
                    sets.stream()
                            .filter(nodes -> nodes.contains(context.node()) && servedSets.add(nodes))
                            .forEach(nodes -> workers.get(0).handleAsync(StepTypes.of(nodes), runner::run));
                    return Pause.until(nodeSets.watch(tx)).cappedAt(BridgeContext.LOOK_AGAIN);
                }));
    }

    /** Removes unused sets of nodes, and the entries of documents that ended long ago. */
    private CompletableFuture<Pause> cleanUp() {
        Instant now = context.environment().clock().instant();
        return context.run(
                        "forget sets",
                        tx -> context.store()
                                .sets()
                                .forget(tx, LocalDate.ofInstant(now, ZoneOffset.UTC), nodes -> hasJobs(tx, nodes)))
                .thenCompose(done -> context.run("forget", tx -> context.store().forget(tx, now, CLEANUP_BATCH)))
                .thenApply(more -> more ? Pause.none() : Pause.atMost(CLEANUP_INTERVAL));
    }

    private CompletableFuture<Boolean> hasJobs(Transaction tx, SortedSet<String> nodes) {
        return context.jobs()
                .counts(tx, StepTypes.of(nodes))
                .thenApply(counts -> counts.pending() + counts.blocked() + counts.running() > 0);
    }

    /**
     * Changes how many steps run at once. Steps that run go on.
     *
     * @return completes when steps that wait have got the new slots
     */
    public synchronized CompletableFuture<Void> setConcurrency(int number) {
        concurrency.set(number);
        workers.stream().findFirst().ifPresent(worker -> worker.concurrency(number));
        return reservesSlots && !workers.isEmpty()
                ? transactions.run("review the queue", transaction -> {
                    transaction.requestQueueReview();
                    return CompletableFuture.<Void>completedFuture(null);
                })
                : CompletableFuture.completedFuture(null);
    }

    /**
     * Changes how many work items run at once.
     *
     * @param numbers by kind
     */
    public synchronized void setConcurrency(Map<String, Integer> numbers) {
        itemConcurrency = Map.copyOf(numbers);
        Worker worker = itemWorker;
        if (worker != null && !numbers.isEmpty()) {
            worker.concurrency(
                    numbers.values().stream().mapToInt(number -> number).sum());
            numbers.forEach((kind, number) -> worker.concurrency(StepTypes.ofWork(kind), number));
        }
    }

    /** {@return the steps and work items that run, at most so many} */
    public List<BridgeNode.RunningStep> running(int most) {
        return runningActions.list(most);
    }

    /** {@return how many steps and work items run} */
    public int running() {
        return runningActions.count();
    }

    /** {@return the reason why a document is not being worked on, or its progress, as text for people} */
    public CompletableFuture<String> explain(String id) {
        return explainer.explain(id);
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
            closed = startClose();
        }
        return closed.copy();
    }

    private CompletableFuture<Void> startClose() {
        changesConsumer.close();
        nodeSetLoop.close();
        timeoutLoop.ifPresent(Loop::close);
        cleanupLoop.close();
        Future<?> logTask = after(LOG_RUNNING_AFTER, this::logRunning);
        Future<?> stopTask = after(STOP_AFTER, runningActions::stopAll);
        return CompletableFuture.allOf(workers.stream().map(Worker::closeAsync).toArray(CompletableFuture<?>[]::new))
                .thenCompose(done -> {
                    logTask.cancel(false);
                    stopTask.cancel(false);
                    return workers.isEmpty() ? CompletableFuture.completedFuture(null) : awaitPublisher();
                })
                .whenComplete((done, error) -> publisher.close());
    }

    private void logRunning() {
        List<String> steps = runningActions.describe();
        if (!steps.isEmpty()) {
            LOG.info(
                    "Node {}: waiting for {} to end: {}{}; steps that still run in {} s are stopped and released",
                    context.node(),
                    steps.size() == 1 ? "1 step" : steps.size() + " steps",
                    String.join(", ", steps.subList(0, Math.min(MAX_LOGGED, steps.size()))),
                    steps.size() > MAX_LOGGED ? " and others" : "",
                    STOP_AFTER.minus(LOG_RUNNING_AFTER).toSeconds());
        }
    }

    private CompletableFuture<Void> awaitPublisher() {
        CompletableFuture<Void> published = publisher.idle();
        Future<?> timeout = after(PUBLISH_TIMEOUT, () -> published.complete(null));
        return published.whenComplete((done, error) -> timeout.cancel(false));
    }

    private Future<?> after(Duration delay, Runnable task) {
        return context.environment()
                .scheduler()
                .schedule(() -> context.executor().execute(task), delay.toNanos(), TimeUnit.NANOSECONDS);
    }
}
