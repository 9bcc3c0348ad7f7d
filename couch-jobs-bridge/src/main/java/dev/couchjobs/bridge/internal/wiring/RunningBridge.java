package dev.couchjobs.bridge.internal.wiring;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.StepHandler;
import dev.couchjobs.bridge.internal.BridgeThreads;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.config.EngineConfig;
import dev.couchjobs.bridge.internal.couch.OwnerMark;
import dev.couchjobs.bridge.internal.nodes.NodeControl;
import dev.couchjobs.bridge.internal.nodes.NodeEnvironment;
import dev.couchjobs.bridge.internal.nodes.NodeRows;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One bridge with all its parts. It closes them in the opposite order of their opening. */
public final class RunningBridge implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningBridge.class);
    private static final String VERSION = Optional.ofNullable(
                    RunningBridge.class.getPackage().getImplementationVersion())
            .orElse("unknown");

    private final BridgeConfig file;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final BridgeThreads threads = opening(new BridgeThreads());
    private final Environment environment;
    private final AnswerWait waiting;
    private final NodeRuns runs;

    private RunningBridge(BridgeConfig file, Environment given) {
        this.file = file;
        environment = opening(given).guarded();
        waiting = new AnswerWait(file, environment);
        runs = new NodeRuns(file, waiting);
    }

    /**
     * Starts a bridge.
     *
     * @param handlers its handlers in Java, by name
     * @param given a database to use in place of the configured one; the bridge does not close it
     * @param takesOver whether it takes its CouchDB database over from another bridge of the same name
     * @param stop completes to cancel the start while the database does not answer
     * @return the bridge, which follows its CouchDB database as soon as that answers
     * @throws CancellationException if the start was cancelled; nothing is left open
     * @throws RuntimeException if a part cannot be opened; nothing is left open
     */
    public static RunningBridge start(
            BridgeConfig config,
            Map<String, StepHandler> handlers,
            Optional<Database> given,
            boolean takesOver,
            CompletableFuture<Void> stop) {
        return start(config, handlers, given, takesOver, stop, Environment.system());
    }

    /** Starts a bridge in an environment, which it closes. */
    static RunningBridge start(
            BridgeConfig config,
            Map<String, StepHandler> handlers,
            Optional<Database> given,
            boolean takesOver,
            CompletableFuture<Void> stop,
            Environment environment) {
        RunningBridge bridge = new RunningBridge(config, environment);
        try {
            bridge.open(handlers, given, takesOver, stop);
            return bridge;
        } catch (RuntimeException e) {
            bridge.close();
            throw e;
        }
    }

    private void open(
            Map<String, StepHandler> handlers,
            Optional<Database> given,
            boolean takesOver,
            CompletableFuture<Void> stop) {
        ConfiguredParts parts = new ConfiguredParts(file, threads);
        parts.createShellDirectory();
        Database database = given.orElseGet(() -> opening(parts.database()));
        ExplainServer.open(file, threads, this::why).ifPresent(this::opening);
        CouchJobs jobs = opening(parts.jobs(database, environment));
        NodeRows rows = new NodeRows(file.engine().prefix());
        String id = waiting.database(parts.owner(database, environment), stop);
        StartSettings.Stored stored = waiting.database(
                BridgeContext.read(database, "read settings", tx -> StartSettings.read(rows, tx, file.node())), stop);
        CouchConnections connections = new CouchConnections(
                environment,
                threads,
                new OwnerMark.Owner(
                        file.node(), id, Host.name() + ", " + file.engine().describe()));
        NodeRun.Shared shared = new NodeRun.Shared(database, jobs, environment, threads, handlers, takesOver);
        NodeControl control =
                new NodeControl(rows, nodeEnvironment(database), new SteeredNode(file, runs, shared, connections));
        StartSettings.Followed followed =
                new StartSettings(file, connections, control, waiting, takesOver, stop).follow(stored);
        runs.first(new NodeRun(followed.config(), shared, followed.connection()));
        opening(control);
        if (given.isEmpty() && file.engine() instanceof EngineConfig.Directory directory) {
            opening(new DirectoryWatch(directory.path(), environment, threads, runs::stopBecause));
        }
        runs.reportTo(control);
        runs.begin(followed.claimed(), stop);
        control.report();
    }

    private NodeEnvironment nodeEnvironment(Database database) {
        return new NodeEnvironment(
                file.node(), Host.process(), VERSION, List.copyOf(file.others().keySet()), database, environment);
    }

    private <T extends AutoCloseable> T opening(T part) {
        opened.push(part);
        return part;
    }

    /**
     * Asks the bridge of a configuration, in any process of this machine, why a document is not being worked on.
     * Blocks.
     *
     * @return its answer, line by line; empty if it does not run
     */
    public static Optional<List<String>> ask(BridgeConfig config, String document) {
        return ExplainServer.ask(config, document).map(answer -> answer.lines().toList());
    }

    /** {@return why a document is not being worked on, or its progress, and the failures of the bridge, for people} */
    public CompletableFuture<String> why(String document) {
        return runs.ifPresent()
                .map(present -> why(present, document))
                .orElseGet(() -> CompletableFuture.completedFuture(
                        "the bridge waits for its database: " + file.engine().describe()));
    }

    private CompletableFuture<String> why(NodeRun present, String document) {
        return present.engine().explain(document).thenApply(answer -> {
            List<String> lines = new ArrayList<>(List.of(answer));
            runs.whyStopped().ifPresent(lines::add);
            lines.addAll(present.troubles());
            return String.join("\n", lines);
        });
    }

    /** {@return completes with the reason if the bridge stops by itself} */
    public CompletableFuture<String> stopped() {
        return runs.stopped();
    }

    /** {@return completes when the CouchDB database has answered for the first time} */
    public CompletableFuture<Void> ready() {
        return runs.ready();
    }

    /** Closes the bridge. Running steps may continue for half a minute. */
    @Override
    public synchronized void close() {
        runs.close();
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                LOG.warn("A part of the bridge of node {} could not be closed", file.node(), e);
            }
        }
    }
}
