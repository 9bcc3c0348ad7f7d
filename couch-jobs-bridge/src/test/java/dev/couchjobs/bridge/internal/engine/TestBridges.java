package dev.couchjobs.bridge.internal.engine;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.action.Action;
import dev.couchjobs.bridge.internal.action.ActionResult;
import dev.couchjobs.bridge.internal.action.Stoppable;
import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import dev.couchjobs.bridge.internal.document.ActionPlan;
import dev.couchjobs.bridge.internal.document.NodeDirectory;
import dev.couchjobs.bridge.internal.document.RetryStrategy;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.store.SlotReservations;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.StepTypes;
import dev.couchjobs.bridge.internal.work.WorkKind;
import dev.couchjobs.bridge.testing.CouchFaultWeights;
import dev.couchjobs.bridge.testing.ModelCouch;
import dev.couchjobs.bridge.testing.ModelCouchDatabase;
import dev.couchjobs.bridge.testing.ModelServer;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Several nodes, each with a bridge and a CouchDB, on one thread and in virtual time, without random faults. */
public final class TestBridges implements AutoCloseable {
    static final String DATABASE = "jobs";
    /** Reads any JSON that a server may return. */
    private static final JsonMapper DEEP = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(10_000)
                            .build())
                    .build())
            .build();

    final Simulation simulation = Simulation.builder(1).calm().build();
    public final ModelCouch couch;
    public final Map<String, ModelServer> servers = new LinkedHashMap<>();
    final Map<String, SimulatedProcess> processes = new LinkedHashMap<>();
    final Map<String, BridgeEngine> engines = new LinkedHashMap<>();
    private final Map<String, CouchDatabase> connections = new LinkedHashMap<>();
    /** The actions that have ended, in order: {@code node command}. */
    public final List<String> done = new ArrayList<>();

    /** Whether the storage of all nodes fails. */
    boolean isDiskFull;

    /** Whether the databases of all nodes are closed; their bridges are not. */
    boolean isDatabaseClosed;

    private final NodeDirectory cluster;
    private final int workers;

    private final Optional<Duration> claimTimeout;

    public static TestBridges shared(int workers, String... nodes) {
        return new TestBridges(Optional.empty(), workers, nodes);
    }

    public static TestBridges replicated(Duration claimTimeout, int workers, String... nodes) {
        return new TestBridges(Optional.of(claimTimeout), workers, nodes);
    }

    private TestBridges(Optional<Duration> claimTimeout, int workers, String... nodes) {
        this.claimTimeout = claimTimeout;
        this.workers = workers;
        this.cluster = NodeDirectory.of(nodes);
        couch = new ModelCouch(simulation.scheduler(), 1, CouchFaultWeights.none(), simulation::log);
        for (String node : nodes) {
            ModelServer server = couch.server(node);
            server.database(DATABASE);
            servers.put(node, server);
        }
        couch.replicateAll(DATABASE, servers.values());
        for (String node : nodes) {
            start(node);
        }
    }

    public void start(String node) {
        start(node, false);
    }

    /** @param takesOver whether the bridge is told to take over, because the store was lost */
    void start(String node, boolean takesOver) {
        SimulatedProcess process = simulation.process(node);
        Environment environment = new Environment(process.clock(), process.scheduler(), process.random());
        Subspace root = root(node);
        Database storage = storage(process.database());
        CouchJobs jobs = CouchJobs.builder(storage)
                .subspace(root)
                .environment(environment)
                .name(node)
                .build();
        CouchDatabase database = couch.connect(server(node), DATABASE, process.scheduler());
        BridgeContext context = new BridgeContext(
                node,
                cluster,
                storage,
                jobs,
                new BridgeStore(root.subspace(Tuple.from("store"))),
                database,
                environment,
                Duration.ofDays(1));
        BridgeEngine engine = new BridgeEngine(
                context,
                joining(root, takesOver),
                plan -> action(process, node, command(plan)),
                kinds(process, node),
                workers,
                "couch",
                node);
        processes.put(node, process);
        connections.put(node, database);
        engines.put(node, engine);
        process.scheduler().execute(() -> {
            var unused = engine.start();
        });
    }

    /** {@return a database that fails while the disk is full, and can be closed} */
    private Database storage(Database database) {
        return (Database) Proxy.newProxyInstance(
                TestBridges.class.getClassLoader(), new Class<?>[] {Database.class}, (self, method, given) -> {
                    if (isDatabaseClosed && !method.getName().equals("getExecutor")) {
                        throw new IllegalStateException("The database is closed");
                    }
                    if (isDiskFull && method.getReturnType() == CompletableFuture.class) {
                        return CompletableFuture.failedFuture(new DiskFullException());
                    }
                    Object result = method.invoke(database, given);
                    return result instanceof Transaction created ? storage(created) : result;
                });
    }

    private Transaction storage(Transaction transaction) {
        return (Transaction) Proxy.newProxyInstance(
                TestBridges.class.getClassLoader(), new Class<?>[] {Transaction.class}, (self, method, given) -> {
                    if (isDiskFull && method.getName().equals("commit")) {
                        return CompletableFuture.failedFuture(new DiskFullException());
                    }
                    if (method.getName().equals("onError")) {
                        return transaction.onError((Throwable) given[0]).thenApply(this::storage);
                    }
                    return method.invoke(transaction, given);
                });
    }

    private static final class DiskFullException extends FDBException {
        private static final long serialVersionUID = 1L;

        DiskFullException() {
            super("No space left on device", 1510);
        }

        @Override
        public boolean isRetryable() {
            return false;
        }

        @Override
        public boolean isMaybeCommitted() {
            return false;
        }

        @Override
        public boolean isRetryableNotCommitted() {
            return false;
        }
    }

    private Map<String, WorkKind> kinds(SimulatedProcess process, String node) {
        return Map.of(
                "email",
                new WorkKind(
                        item -> action(process, node, item.path("do").asString("mail")),
                        new RetryStrategy(2, Duration.ofSeconds(1), 1, Optional.empty(), Optional.empty()),
                        Optional.empty(),
                        2));
    }

    private JoinMode joining(Subspace root, boolean isRecovering) {
        return claimTimeout.isPresent()
                ? new JoinMode.Replication(new SlotReservations(root.subspace(Tuple.from("slots"))), claimTimeout.get())
                : new JoinMode.SharedDatabase(isRecovering);
    }

    /** Ends a node's process, as a power failure does. */
    public void kill(String node) {
        process(node).kill();
        Objects.requireNonNull(connections.get(node)).close();
    }

    /** Cuts the CouchDBs of nodes off from all others. */
    void cut(String... nodes) {
        couch.cut(Stream.of(nodes).map(this::server).collect(Collectors.toSet()));
    }

    /** {@return the number of a node's rows for slots, queued documents and winners} */
    int slotRows(String node) {
        Subspace seats = root(node).subspace(Tuple.from("slots"));
        return simulation
                .await(process(node)
                        .database()
                        .readAsync(tx -> tx.getRange(seats.range()).asList()))
                .size();
    }

    /**
     * {@code sleep n}, with any text behind it, {@code fail}, {@code fail for good}, {@code stubborn}, which ends 10
     * seconds after it is stopped; any other command succeeds at once.
     */
    private Action action(SimulatedProcess process, String node, String command) {
        return actionContext -> {
            done.add(node + " " + command);
            Stoppable<ActionResult> result = new Stoppable<>();
            if (command.equals("stubborn")) {
                result.whenStopped(() -> after(process, 10, () -> {
                    done.add(node + " ended");
                    result.complete(result(false));
                }));
                return result;
            }
            result.whenStopped(() -> result.complete(result(false)));
            long seconds = command.startsWith("sleep ") ? Long.parseLong(command.split(" ", -1)[1]) : 0;
            ActionResult end = command.equals("fail for good")
                    ? ActionResult.refused("no other try would do better")
                    : result(!command.startsWith("fail"));
            after(process, seconds, () -> result.complete(end));
            return result;
        };
    }

    private static String command(ActionPlan plan) {
        return plan instanceof ActionPlan.Java java ? java.name() : ((ActionPlan.Shell) plan).command();
    }

    private static void after(SimulatedProcess process, long seconds, Runnable task) {
        var unused = process.scheduler().schedule(task, seconds, TimeUnit.SECONDS);
    }

    private static ActionResult result(boolean success) {
        return new ActionResult(
                success,
                false,
                OptionalInt.of(success ? 0 : 1),
                success ? "" : "no luck\n",
                false,
                success ? Optional.empty() : Optional.of("exit status 1"),
                Optional.empty());
    }

    public ModelServer server(String node) {
        return Objects.requireNonNull(servers.get(node));
    }

    /** Pauses the steps of a node, as an operator may do beside the bridge. */
    void pauseSteps(String node) {
        SimulatedProcess process = process(node);
        Database storage = storage(process.database());
        CompletableFuture<Boolean> paused = new CompletableFuture<>();
        process.scheduler().execute(() -> {
            CouchJobs jobs = CouchJobs.builder(storage)
                    .subspace(root(node))
                    .environment(new Environment(process.clock(), process.scheduler(), process.random()))
                    .build();
            var unused = jobs.types()
                    .pause(storage, StepTypes.of(node), "a disk is full")
                    .whenComplete((done, error) -> {
                        jobs.close();
                        paused.complete(error == null);
                    });
        });
        if (!simulation.await(paused)) {
            throw new IllegalStateException("The steps could not be paused");
        }
    }

    /** {@return a node's answer why a document is not being worked on} */
    String why(String node, String id) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        process(node).scheduler().execute(() -> {
            var unused = Objects.requireNonNull(engines.get(node)).explain(id).whenComplete((said, error) -> {
                if (error == null) {
                    answer.complete(said);
                } else {
                    answer.completeExceptionally(error);
                }
            });
        });
        return simulation.await(answer);
    }

    /** Closes a node's bridge, and then ends its process. */
    void close(String node) {
        SimulatedProcess process = process(node);
        BridgeEngine engine = Objects.requireNonNull(engines.get(node));
        process.scheduler().execute(() -> {
            var unused = engine.closeAsync().whenComplete((closed, error) -> kill(node));
        });
    }

    public SimulatedProcess process(String node) {
        return Objects.requireNonNull(processes.get(node));
    }

    public ModelCouchDatabase at(String node) {
        return server(node).database(DATABASE);
    }

    public static ObjectNode json(String text) {
        return (ObjectNode) DEEP.readTree(text.replace('\'', '"'));
    }

    public void put(String node, String json) {
        putAll(node, List.of(json));
    }

    /** Writes documents before any bridge receives the first. */
    public void putAll(String node, List<String> documents) {
        List<ObjectNode> bodies = documents.stream().map(TestBridges::json).toList();
        simulation
                .scheduler()
                .execute(() -> bodies.forEach(body -> {
                    if (!(at(node).write(body) instanceof WriteResult.Accepted)) {
                        throw new AssertionError("not written: " + body);
                    }
                }));
        advance(1);
    }

    /** Kills a node's process, and starts it again. */
    public void restart(String node) {
        kill(node);
        start(node);
    }

    /** Ends a node's bridge, and deletes its store. */
    void loseDirectory(String node) {
        kill(node);
        Subspace root = root(node);
        simulation.await(simulation.database().runAsync(tx -> {
            tx.clear(root.range());
            return CompletableFuture.<Void>completedFuture(null);
        }));
    }

    /** Replaces the entry of a document in a node's store by an invalid byte. */
    void damageStore(String node, String id) {
        byte[] key = root(node).pack(Tuple.from("store", "doc", id, 0));
        change(node, tx -> tx.set(key, new byte[] {'?'}));
    }

    /** Adds a document to a node's outbox without changing the watched row. */
    void sendWithoutWatch(String node, String id) {
        byte[] key = root(node).pack(Tuple.from("store", "out", node, id));
        change(node, tx -> tx.set(key, Tuple.from(1, 0).pack()));
    }

    /** {@return the number of documents in a node's outbox} */
    int outRows(String node) {
        Subspace out = root(node).subspace(Tuple.from("store", "out", node));
        return simulation
                .await(process(node)
                        .database()
                        .readAsync(tx -> tx.getRange(out.range()).asList()))
                .size();
    }

    void repairStore(String node, String id) {
        byte[] key = root(node).pack(Tuple.from("store", "doc", id, 0));
        change(node, tx -> tx.clear(key));
    }

    private void change(String node, Consumer<Transaction> change) {
        SimulatedProcess process = process(node);
        process.scheduler().execute(() -> {
            var unused = process.database().runAsync(tx -> {
                change.accept(tx);
                return CompletableFuture.completedFuture(null);
            });
        });
        advance(1);
    }

    private Subspace root(String node) {
        return new Subspace(Tuple.from("bridge", claimTimeout.isPresent() ? node : "all"));
    }

    public void advance(int seconds) {
        simulation.advance(Duration.ofSeconds(seconds));
    }

    /** {@return the number of the document's revision in its history, on a node} */
    int revisions(String node, String id) {
        String revision = at(node).read(id).current().orElseThrow().revision();
        return Integer.parseInt(revision.substring(0, revision.indexOf('-')));
    }

    public ObjectNode read(String node, String id) {
        return at(node).read(id).current().orElseThrow().body();
    }

    @Override
    public void close() {
        simulation.close();
    }
}
