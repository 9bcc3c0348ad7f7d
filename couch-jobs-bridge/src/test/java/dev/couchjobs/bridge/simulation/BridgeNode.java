package dev.couchjobs.bridge.simulation;

import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import dev.couchjobs.bridge.internal.engine.BridgeEngine;
import dev.couchjobs.bridge.internal.engine.JoinMode;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.store.SlotReservations;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.testing.ModelCouch;
import dev.couchjobs.bridge.testing.ModelCouchDatabase;
import dev.couchjobs.bridge.testing.ModelServer;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A node: its store, its CouchDB, and its bridge, which is started again after its process has died. */
final class BridgeNode {
    private static final String DATABASE = "jobs";
    private static final Duration RETENTION = Duration.ofDays(1);

    private final String name;
    private final BridgeScenario scenario;
    private final Simulation simulation;
    private final ModelCouch couch;
    private final ModelServer server;
    private final ActionJournal journal;
    private final NodeWork work;
    private final Subspace root;
    private int lives;
    private @Nullable SimulatedProcess process;
    private @Nullable CouchDatabase connection;
    private @Nullable BridgeEngine engine;
    private boolean isClosing;

    BridgeNode(
            String name,
            BridgeScenario scenario,
            Simulation simulation,
            ModelCouch couch,
            ActionJournal journal,
            NodeWork work) {
        this.name = name;
        this.scenario = scenario;
        this.simulation = simulation;
        this.couch = couch;
        this.journal = journal;
        this.work = work;
        boolean isAlone = scenario.topology() == BridgeScenario.Topology.ONE;
        this.server = couch.server(isAlone ? "couch" : "couch-" + name);
        this.root = new Subspace(Tuple.from("bridge", scenario.isReplicated() ? name : "all"));
        server.database(DATABASE);
    }

    String name() {
        return name;
    }

    ModelServer server() {
        return server;
    }

    /** {@return its CouchDB database without faults} */
    ModelCouchDatabase database() {
        return server.database(DATABASE);
    }

    static String databaseName() {
        return DATABASE;
    }

    /** {@return its rows; the same for all nodes that share a database} */
    Subspace root() {
        return root;
    }

    BridgeStore store() {
        return new BridgeStore(root.subspace(Tuple.from("store")));
    }

    boolean owns(SimulatedProcess other) {
        return other == process;
    }

    /** {@return the number of starts} */
    int lives() {
        return lives;
    }

    void start() {
        SimulatedProcess started = simulation.process(name + "." + ++lives);
        process = started;
        Environment environment = new Environment(started.clock(), started.scheduler(), started.random());
        CouchJobs jobs = CouchJobs.builder(started.database())
                .subspace(root.subspace(Tuple.from("jobs")))
                .environment(environment)
                .name(started.name())
                .build();
        CouchDatabase database =
                new OverheardCouch(couch.connect(server, DATABASE, started.scheduler()), work.laws()::isWritten);
        connection = database;
        BridgeContext context = new BridgeContext(
                name, scenario.cluster(), started.database(), jobs, store(), database, environment, RETENTION);
        BridgeEngine made = new BridgeEngine(
                context,
                joinMode(),
                plan -> journal.action(started, Effect.of(plan)),
                work.kinds(name, started),
                scenario.workers(),
                server.name(),
                started.name());
        engine = made;
        isClosing = false;
        started.scheduler().execute(() -> begin(started, made));
    }

    /** A process whose bridge cannot start ends, and is started again like a supervised one. */
    private static void begin(SimulatedProcess process, BridgeEngine engine) {
        var unused = engine.start().whenComplete((done, error) -> {
            if (error != null) {
                process.log("cannot begin: " + error);
                process.kill();
            }
        });
    }

    private JoinMode joinMode() {
        return scenario.isReplicated()
                ? new JoinMode.Replication(
                        new SlotReservations(root.subspace(Tuple.from("store"))), scenario.claimTimeout())
                : new JoinMode.SharedDatabase(false);
    }

    /** Receives the close of a bridge whose process still runs, with its error if it failed. */
    interface Closed {
        void tell(BridgeNode node, SimulatedProcess process, @Nullable Throwable error);
    }

    /** Closes its bridge, and then ends its process. {@return the process; empty if none runs} */
    Optional<SimulatedProcess> close(Closed closed) {
        SimulatedProcess closing = Objects.requireNonNull(process);
        BridgeEngine ending = Objects.requireNonNull(engine);
        if (isClosing || !closing.isAlive()) {
            return Optional.empty();
        }
        isClosing = true;
        closing.scheduler().execute(() -> {
            var unused = ending.closeAsync().whenComplete((done, error) -> {
                closed.tell(this, closing, error);
                closing.kill();
            });
        });
        return Optional.of(closing);
    }

    void kill() {
        Objects.requireNonNull(process).kill();
    }

    /** Starts the process again after it has died. */
    void died() {
        Objects.requireNonNull(connection).close();
    }
}
