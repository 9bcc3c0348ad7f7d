package dev.couchjobs.bridge.internal.wiring;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.StepHandler;
import dev.couchjobs.bridge.internal.RootCauses;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.config.EngineConfig;
import dev.couchjobs.bridge.internal.couch.CouchException;
import dev.couchjobs.bridge.internal.couch.HttpCouchDatabase;
import dev.couchjobs.bridge.internal.couch.LoginThrottles;
import dev.couchjobs.bridge.internal.couch.OwnerMark;
import dev.couchjobs.bridge.internal.engine.BridgeEngine;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One bridge with all its parts. It closes them in the opposite order of their opening. */
public final class RunningBridge implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningBridge.class);
    /** The time between two messages that the database does not answer. */
    private static final Duration REMINDER = Duration.ofSeconds(10);

    private final BridgeConfig config;
    private final Environment environment = Environment.system();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<String> stopped = new CompletableFuture<>();
    private Supplier<CompletableFuture<Void>> end = () -> CompletableFuture.completedFuture(null);
    private volatile Function<String, CompletableFuture<String>> explain;
    private volatile Supplier<List<String>> troubles = List::of;
    private volatile boolean isClosed;

    private RunningBridge(BridgeConfig config) {
        this.config = config;
        this.explain = id -> CompletableFuture.completedFuture(
                "the bridge waits for its database: " + config.engine().describe());
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
        ConfiguredParts parts = new ConfiguredParts(config);
        parts.createShellDirectory();
        Database database = given.orElseGet(() -> opening(parts.database()));
        ExplainServer.open(config, this::why).ifPresent(this::opening);
        CouchJobs jobs = opening(parts.jobs(database, environment));
        HttpClient client = parts.client();
        LoginThrottles loginThrottles = new LoginThrottles("Node " + config.node());
        HttpCouchDatabase couch =
                opening(new HttpCouchDatabase(PeerReplications.settings(config.couchdb(), client), loginThrottles));
        BridgeContext context = parts.context(database, jobs, couch, environment);
        OwnerMark mark =
                opening(new OwnerMark(couch, environment, awaitDatabase(owner(context), stop), this::stopBecause));
        BridgeEngine engine = opening(parts.engine(context, handlers));
        end = engine::closeAsync;
        explain = engine::explain;
        if (given.isEmpty() && config.engine() instanceof EngineConfig.Directory directory) {
            opening(new DirectoryWatch(directory.path(), environment, this::stopBecause));
        }
        CompletableFuture<Void> claimed = made(couch).thenCompose(there -> mark.claim(takesOver));
        begin(engine, claimed, stop);
        PeerReplications peers = opening(new PeerReplications(config, client, environment, loginThrottles, couch));
        troubles = () -> Stream.concat(couch.trouble().stream(), peers.troubles().stream())
                .toList();
        var unused = claimed.thenRun(peers::start);
        var unusedToo = CompletableFuture.allOf(couch.found(), claimed).thenRun(() -> ready.complete(null));
    }

    /**
     * If nodes replicate, the engine starts after the database is known to be this bridge's; otherwise it would begin
     * steps again that another bridge has begun. A node that shares its jobs works for other nodes even while its own
     * CouchDB is down.
     */
    private void begin(BridgeEngine engine, CompletableFuture<Void> claimed, CompletableFuture<Void> stop) {
        CompletableFuture<?> all = claimed;
        if (config.join() == BridgeConfig.Join.REPLICATION) {
            all = claimed.thenCompose(ours -> engine.start());
        } else {
            awaitDatabase(engine.start(), stop);
        }
        var unused = all.whenComplete((done, error) -> {
            if (error != null && !isClosed) {
                stopBecause(reason(RootCauses.of(error)));
            }
        });
    }

    private static String reason(Throwable cause) {
        return cause instanceof OwnerMark.OwnedException || cause instanceof CouchException
                ? String.valueOf(cause.getMessage())
                : cause.toString();
    }

    private CompletableFuture<Void> made(HttpCouchDatabase couch) {
        return config.couchdb().isCreated() ? couch.ensureDatabase() : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<OwnerMark.Owner> owner(BridgeContext context) {
        return context.owner()
                .thenApply(id -> new OwnerMark.Owner(
                        config.node(), id, Host.name() + ", " + config.engine().describe()));
    }

    /** Stops the engine as {@link #close} does. */
    private void stopBecause(String reason) {
        if (stopped.complete(reason)) {
            LOG.error("Node {} stops: {}", config.node(), reason);
            var unused = end.get();
        }
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
        return explain.apply(document).thenApply(answer -> {
            List<String> lines = new ArrayList<>(List.of(answer));
            if (stopped.isDone()) {
                lines.add("the bridge has stopped: " + stopped.join());
            }
            lines.addAll(troubles.get());
            return String.join("\n", lines);
        });
    }

    /** {@return completes with the reason if the bridge stops by itself} */
    public CompletableFuture<String> stopped() {
        return stopped.copy();
    }

    /** Waits for a database that does not answer, because the node can do nothing without it. */
    private <T> T awaitDatabase(CompletableFuture<T> started, CompletableFuture<Void> stop) {
        String what =
                "the database of node " + config.node() + ": " + config.engine().describe();
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
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                LOG.warn("A part of the bridge of node {} could not be closed", config.node(), e);
            }
        }
    }
}
