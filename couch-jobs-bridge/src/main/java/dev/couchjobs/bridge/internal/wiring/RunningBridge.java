package dev.couchjobs.bridge.internal.wiring;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.BridgeSettings;
import dev.couchjobs.bridge.StepHandler;
import dev.couchjobs.bridge.internal.BridgeThreads;
import dev.couchjobs.bridge.internal.RootCauses;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.config.EngineConfig;
import dev.couchjobs.bridge.internal.couch.CouchException;
import dev.couchjobs.bridge.internal.couch.OwnerMark;
import dev.couchjobs.bridge.internal.nodes.NodeControl;
import dev.couchjobs.bridge.internal.nodes.NodeEnvironment;
import dev.couchjobs.bridge.internal.nodes.NodeReport;
import dev.couchjobs.bridge.internal.nodes.NodeRows;
import dev.couchjobs.bridge.internal.nodes.WantedSettings;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One bridge with all its parts. It closes them in the opposite order of their opening. */
public final class RunningBridge implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningBridge.class);
    /** The time between two messages that the database does not answer. */
    private static final Duration REMINDER = Duration.ofSeconds(10);

    private static final String VERSION = Optional.ofNullable(
                    RunningBridge.class.getPackage().getImplementationVersion())
            .orElse("unknown");

    /** How long the database of wanted settings may take to answer. */
    private static final Duration CHANGE_WITHIN = Duration.ofSeconds(20);
    /** How many faults and running steps a report has. */
    private static final int REPORTED_MAX = 20;

    private static final int REPORTED_LENGTH = 500;

    private final BridgeConfig file;
    private final Environment environment = Environment.system();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<String> stopped = new CompletableFuture<>();
    private final CompletableFuture<Void> closing = new CompletableFuture<>();
    private volatile @Nullable NodeRun run;
    private volatile @Nullable NodeControl control;
    private volatile boolean isClosed;

    private RunningBridge(BridgeConfig file) {
        this.file = file;
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
        RunningBridge bridge = new RunningBridge(config);
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
        ConfiguredParts parts = new ConfiguredParts(file);
        parts.createShellDirectory();
        Database database = given.orElseGet(() -> opening(parts.database()));
        ExplainServer.open(file, this::why).ifPresent(this::opening);
        CouchJobs jobs = opening(parts.jobs(database, environment));
        NodeRows rows = new NodeRows(file.engine().prefix());
        String id = awaitDatabase(parts.owner(database, environment), stop);
        StoredSettings stored =
                awaitDatabase(BridgeContext.read(database, "read settings", tx -> storedSettings(rows, tx)), stop);
        OwnerMark.Owner owner = new OwnerMark.Owner(
                file.node(), id, Host.name() + ", " + file.engine().describe());
        NodeRun.Shared shared = new NodeRun.Shared(database, jobs, environment, handlers);
        Steered steered = new Steered(shared, owner);
        NodeControl control = new NodeControl(rows, nodeEnvironment(database), steered);
        Following atStart = atStart(stored, steered, control, takesOver, stop);
        NodeRun first = new NodeRun(atStart.config(), shared, atStart.connection());
        run = first;
        opening(control);
        if (given.isEmpty() && file.engine() instanceof EngineConfig.Directory directory) {
            opening(new DirectoryWatch(directory.path(), environment, this::stopBecause));
        }
        this.control = control;
        CompletableFuture<Void> started = begin(first, atStart.claimed());
        if (!isReplicated()) {
            awaitDatabase(started, stop);
        }
        control.report();
    }

    private NodeEnvironment nodeEnvironment(Database database) {
        return new NodeEnvironment(
                file.node(), Host.process(), VERSION, List.copyOf(file.others().keySet()), database, environment);
    }

    /** The settings that are wanted for the node, and those that were in effect when it reported last. */
    private record StoredSettings(WantedSettings wanted, WantedSettings applied) {}

    private CompletableFuture<StoredSettings> storedSettings(NodeRows rows, ReadTransaction tx) {
        return rows.wanted(tx, file.node())
                .thenCombine(
                        rows.report(tx, file.node()),
                        (wanted, report) -> new StoredSettings(
                                wanted, report.map(NodeReport::applied).orElse(WantedSettings.NONE)));
    }

    /** A configuration, and the connection to its database, which is claimed or will be. */
    private record Following(BridgeConfig config, CouchConnection connection, CompletableFuture<Void> claimed) {}

    /**
     * The node starts with the settings that are wanted. If they are refused, it starts with those that were in effect
     * before, so that a change that it refuses does not stop it at its next start.
     */
    private Following atStart(
            StoredSettings stored,
            Steered steered,
            NodeControl control,
            boolean takesOver,
            CompletableFuture<Void> stop) {
        BridgeConfig last = lastApplied(stored.applied(), control);
        WantedSettings wanted = stored.wanted();
        if (wanted.equals(control.applied())) {
            return following(last, steered, takesOver);
        }
        try {
            BridgeConfig config = file.with(wanted.settings());
            Following next = config.couchdb().url().equals(last.couchdb().url())
                    ? following(config, steered, takesOver)
                    : new Following(
                            config,
                            probed(steered.probe(config, takesOver), config, stop),
                            CompletableFuture.completedFuture(null));
            control.applied(wanted);
            return next;
        } catch (CancellationException e) {
            throw e;
        } catch (RuntimeException e) {
            control.refused(wanted, e);
            return following(last, steered, takesOver);
        }
    }

    private CouchConnection probed(
            CompletableFuture<CouchConnection> probe, BridgeConfig config, CompletableFuture<Void> stop) {
        try {
            return await(probe, "the answer of " + config.couchdb().url(), stop);
        } catch (CancellationException e) {
            var unused = probe.thenAcceptAsync(CouchConnection::close, BridgeThreads.blocking());
            throw e;
        }
    }

    /** {@return the file with the settings that were in effect; without them if it does not allow them any more} */
    private BridgeConfig lastApplied(WantedSettings applied, NodeControl control) {
        try {
            BridgeConfig config = file.with(applied.settings());
            control.applied(applied);
            return config;
        } catch (IllegalArgumentException e) {
            LOG.warn("Node {} starts with the settings of its file: {}", file.node(), e.getMessage());
            return file;
        }
    }

    private static Following following(BridgeConfig config, Steered steered, boolean takesOver) {
        CouchConnection connection = steered.connection(config);
        return new Following(config, connection, connection.claim(takesOver));
    }

    /**
     * If nodes replicate, the engine starts after the database is known to be this bridge's; otherwise it would begin
     * steps again that another bridge has begun. A node that shares its jobs works for other nodes even while its own
     * CouchDB is down.
     *
     * @return completes when the engine has started; if that fails, the bridge stops
     */
    private CompletableFuture<Void> begin(NodeRun begun, CompletableFuture<Void> claimed) {
        CompletableFuture<Void> started = isReplicated()
                ? claimed.thenCompose(ours -> begun.engine().start())
                : begun.engine().start();
        stopIfFailed(begun, started);
        stopIfFailed(begun, claimed);
        var unused = begun.lost().thenAccept(reason -> stopBecause(begun, reason));
        var unusedToo = claimed.thenRun(begun::startPeers);
        var unusedAlso = CompletableFuture.allOf(begun.found(), claimed).thenRun(() -> {
            ready.complete(null);
            reportNow();
        });
        return started;
    }

    private boolean isReplicated() {
        return file.join() == BridgeConfig.Join.REPLICATION;
    }

    private void stopIfFailed(NodeRun begun, CompletableFuture<Void> part) {
        var unused = part.whenComplete((done, error) -> {
            if (error != null) {
                stopBecause(begun, reason(RootCauses.of(error)));
            }
        });
    }

    private void reportNow() {
        NodeControl present = control;
        if (present != null) {
            present.report();
        }
    }

    private static String reason(Throwable cause) {
        return cause instanceof OwnerMark.OwnedException || cause instanceof CouchException
                ? String.valueOf(cause.getMessage())
                : cause.toString();
    }

    /** Parts that close have no further use, so what becomes of them does not matter. */
    private void stopBecause(NodeRun begun, String reason) {
        if (!begun.isClosing()) {
            stopBecause(reason);
        }
    }

    /** Stops the engine as {@link #close} does. */
    private void stopBecause(String reason) {
        boolean isFirst = stopped.complete(reason);
        NodeRun present = run; // read after that: parts that are published later find that the bridge has stopped
        if (isFirst && present != null) {
            LOG.error("Node {} stops: {}", file.node(), reason);
            var unused = present.engine().closeAsync();
            reportNow();
        }
    }

    // Changes at run time

    /** This bridge, as a person changes its settings. */
    private final class Steered implements NodeControl.Controlled {
        private final NodeRun.Shared shared;
        private final OwnerMark.Owner owner;

        Steered(NodeRun.Shared shared, OwnerMark.Owner owner) {
            this.shared = shared;
            this.owner = owner;
        }

        @Override
        public NodeReport.RunState state() {
            NodeRun present = present();
            BridgeConfig config = present.config();
            Stream<String> faults = Stream.concat(
                    stopped.isDone() ? Stream.of("the bridge has stopped: " + stopped.join()) : Stream.empty(),
                    present.troubles().stream());
            return new NodeReport.RunState(
                    config.couchdb().url().toString(),
                    present.isConnected(),
                    config.settings(),
                    faults.limit(REPORTED_MAX).map(RunningBridge::shortened).toList(),
                    present.running(REPORTED_MAX),
                    present.engine().running(),
                    Resources.now());
        }

        @Override
        public boolean hasStopped() {
            return stopped.isDone();
        }

        @Override
        public NodeReport.StorePlace store() {
            return new NodeReport.StorePlace(
                    file.join() == BridgeConfig.Join.FOUNDATIONDB,
                    file.cluster().nodes(),
                    file.cluster().groups(),
                    new ConfiguredParts(present().config()).feedName());
        }

        @Override
        public CompletableFuture<Optional<String>> position(Transaction tx) {
            return present().position(tx).thenApply(position -> position.map(RunningBridge::shortened));
        }

        @Override
        public CompletableFuture<Void> apply(BridgeSettings settings) {
            if (stopped.isDone()) {
                return CompletableFuture.failedFuture(new IllegalStateException("the bridge has stopped"));
            }
            BridgeConfig config;
            try {
                config = file.with(settings);
            } catch (IllegalArgumentException e) {
                return CompletableFuture.failedFuture(e);
            }
            NodeRun present = present();
            if (present.canAdjustTo(config)) {
                return present.adjust(config);
            }
            boolean isSameDatabase =
                    present.config().couchdb().url().equals(config.couchdb().url());
            return isSameDatabase
                    ? replace(config, Optional.empty())
                    : probe(config, false).thenCompose(connection -> replace(config, Optional.of(connection)));
        }

        /** {@return a connection that has sent nothing} */
        CouchConnection connection(BridgeConfig config) {
            return CouchConnection.open(config, environment, owner);
        }

        /** {@return a connection to a database that answers and belongs to no other bridge} */
        CompletableFuture<CouchConnection> probe(BridgeConfig config, boolean takesOver) {
            CouchConnection connection = connection(config);
            CompletableFuture<CouchConnection> result =
                    connection.claim(takesOver).thenApply(claimed -> connection);
            Future<?> limit = environment
                    .scheduler()
                    .schedule(
                            () -> BridgeThreads.blocking()
                                    .execute(() -> result.completeExceptionally(new IllegalStateException(
                                            config.couchdb().url() + " does not answer"
                                                    + connection
                                                            .couch()
                                                            .trouble()
                                                            .map(why -> ": " + why)
                                                            .orElse("")))),
                            CHANGE_WITHIN.toSeconds(),
                            TimeUnit.SECONDS);
            return result.whenComplete((done, error) -> {
                limit.cancel(false);
                if (error != null) {
                    BridgeThreads.blocking().execute(connection::close);
                }
            });
        }

        /** Opens the parts for a configuration, and closes the present ones before the others begin. */
        private CompletableFuture<Void> replace(BridgeConfig config, Optional<CouchConnection> connection) {
            CompletableFuture<Void> replaced = new CompletableFuture<>();
            BridgeThreads.blocking().execute(() -> {
                try {
                    replaceNow(config, connection);
                    replaced.complete(null);
                } catch (Throwable e) { // also an error, which nothing else reports
                    replaced.completeExceptionally(e);
                }
            });
            return replaced;
        }

        private void replaceNow(BridgeConfig config, Optional<CouchConnection> connection) {
            synchronized (RunningBridge.this) {
                LOG.info(
                        "Node {} ends its steps to follow {}",
                        file.node(),
                        config.couchdb().url());
                // Opened first: if that fails, the present parts go on.
                CouchConnection next = connection.orElseGet(() -> connection(config));
                NodeRun following = new NodeRun(config, shared, next);
                present().close();
                run = following;
                // Read after the write: a stop that comes later finds the following parts, and closes them.
                if (isClosed || stopped.isDone()) {
                    following.close();
                    throw new IllegalStateException("the bridge ends");
                }
                CompletableFuture<Void> claimed =
                        connection.isPresent() ? CompletableFuture.completedFuture(null) : next.claim(false);
                CompletableFuture<Void> started = begin(following, claimed);
                if (claimed.isDone() || !isReplicated()) { // otherwise it waits for a CouchDB that may be down
                    awaitDatabase(started, closing);
                }
            }
        }
    }

    private NodeRun present() {
        return Objects.requireNonNull(run, "the run begins before the control");
    }

    private static String shortened(String text) {
        return text.length() <= REPORTED_LENGTH ? text : text.substring(0, REPORTED_LENGTH) + "...";
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
        NodeRun present = run;
        if (present == null) {
            return CompletableFuture.completedFuture(
                    "the bridge waits for its database: " + file.engine().describe());
        }
        return present.engine().explain(document).thenApply(answer -> {
            List<String> lines = new ArrayList<>(List.of(answer));
            if (stopped.isDone()) {
                lines.add("the bridge has stopped: " + stopped.join());
            }
            lines.addAll(present.troubles());
            return String.join("\n", lines);
        });
    }

    /** {@return completes with the reason if the bridge stops by itself} */
    public CompletableFuture<String> stopped() {
        return stopped.copy();
    }

    /** Waits for a database that does not answer, because the node can do nothing without it. */
    private <T> T awaitDatabase(CompletableFuture<T> started, CompletableFuture<Void> stop) {
        return await(
                started,
                "the database of node " + file.node() + ": " + file.engine().describe(),
                stop);
    }

    private <T> T await(CompletableFuture<T> started, String what, CompletableFuture<Void> stop) {
        Future<?> reminder = environment
                .scheduler()
                .scheduleWithFixedDelay(
                        () -> LOG.warn("Waiting for {}", what),
                        REMINDER.toSeconds(),
                        REMINDER.toSeconds(),
                        TimeUnit.SECONDS);
        CompletableFuture.anyOf(started, stop)
                .whenComplete((done, error) -> reminder.cancel(false))
                .join();
        if (!started.isDone()) {
            throw new CancellationException("it was asked to end while it waited for " + what);
        }
        return started.join();
    }

    private <T extends AutoCloseable> T opening(T part) {
        opened.push(part);
        return part;
    }

    /** {@return completes when the CouchDB database has answered for the first time} */
    public CompletableFuture<Void> ready() {
        return ready.copy();
    }

    /** Closes the bridge. Running steps may continue for half a minute. */
    @Override
    public void close() {
        isClosed = true;
        closing.complete(null);
        closeRun();
        synchronized (this) { // a change of the database has ended, and may have opened other parts
            closeRun();
            while (!opened.isEmpty()) {
                try {
                    opened.pop().close();
                } catch (Exception e) {
                    LOG.warn("A part of the bridge of node {} could not be closed", file.node(), e);
                }
            }
        }
    }

    private void closeRun() {
        NodeRun present = run;
        if (present != null) {
            present.close();
        }
    }
}
