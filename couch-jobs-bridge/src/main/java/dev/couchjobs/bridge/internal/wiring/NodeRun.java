package dev.couchjobs.bridge.internal.wiring;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.BridgeNode;
import dev.couchjobs.bridge.StepHandler;
import dev.couchjobs.bridge.internal.RootCauses;
import dev.couchjobs.bridge.internal.action.Actions;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.engine.BridgeEngine;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/**
 * The parts of a bridge that follow one CouchDB database. Some settings change while they run; for others these parts
 * are closed, and opened anew.
 */
final class NodeRun implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRun.class);

    private final CouchConnection connection;
    private final PeerReplications peers;
    private final BridgeContext context;
    private final BridgeEngine engine;
    private final Actions actions;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private volatile BridgeConfig config;
    private volatile boolean isClosing;

    /**
     * What stays if these parts are opened anew.
     *
     * @param takesOver whether the bridge was told to take over, because another bridge or its store was lost
     */
    record Shared(
            Database database,
            CouchJobs jobs,
            Environment environment,
            Executor threads,
            Map<String, StepHandler> handlers,
            boolean takesOver) {}

    /**
     * Opens the parts. They do not work before {@link #engine} is started.
     *
     * @param connection is closed with this
     */
    NodeRun(BridgeConfig config, Shared shared, CouchConnection connection) {
        ConfiguredParts parts = new ConfiguredParts(config, shared.threads());
        this.config = config;
        this.connection = connection;
        opened.push(connection);
        this.context = parts.context(shared.database(), shared.jobs(), connection.couch(), shared.environment());
        this.actions = parts.actions(shared.handlers(), shared.environment());
        this.engine = parts.engine(context, actions, shared.takesOver());
        opened.push(engine);
        this.peers = new PeerReplications(
                config, connection.client(), shared.environment(), connection.loginThrottles(), connection.couch());
        opened.push(peers);
    }

    BridgeConfig config() {
        return config;
    }

    BridgeEngine engine() {
        return engine;
    }

    /** Creates the replications from the peers. */
    void startPeers() {
        peers.start();
    }

    /** {@return completes when the CouchDB database has answered for the first time} */
    CompletableFuture<Void> found() {
        return connection.couch().found();
    }

    /** {@return whether the CouchDB database answers} */
    boolean isConnected() {
        return found().isDone() && connection.couch().trouble().isEmpty();
    }

    /** {@return completes with the reason when another bridge has taken the database over} */
    CompletableFuture<String> lost() {
        return connection.lost().copy();
    }

    /** {@return whether the close has begun, which fails what is in progress} */
    boolean isClosing() {
        return isClosing;
    }

    /** {@return the failures at present, for people} */
    List<String> troubles() {
        return Stream.concat(connection.couch().trouble().stream(), peers.troubles().stream())
                .toList();
    }

    /** {@return the position in the feed; empty also if its row is damaged, because a report goes on without it} */
    CompletableFuture<Optional<String>> position(ReadTransaction tx) {
        return context.store()
                .position(tx, context.node(), ConfiguredParts.feedName(config))
                .thenApply(position -> position.map(json -> json.toString()))
                .exceptionallyCompose(error -> RootCauses.of(error) instanceof JacksonException
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : CompletableFuture.failedFuture(error));
    }

    /** {@return the steps and work items that run, at most so many} */
    List<BridgeNode.RunningStep> running(int most) {
        return engine.running(most);
    }

    /** {@return whether a configuration differs only in settings that change while these parts run} */
    boolean canAdjustTo(BridgeConfig other) {
        BridgeConfig present = config;
        return present.couchdb().equals(other.couchdb())
                && present.claimTimeout().equals(other.claimTimeout());
    }

    /**
     * Changes the number of workers, the concurrency of work items and the limits of commands.
     *
     * @return completes when the change is in effect
     */
    CompletableFuture<Void> adjust(BridgeConfig other) {
        config = other;
        actions.limit(other.shell().limits());
        engine.setConcurrency(other.settings().concurrency());
        return engine.setConcurrency(other.workers());
    }

    /** Closes the parts, as {@link BridgeEngine#close} does. Running steps may continue for half a minute. */
    @Override
    public void close() {
        isClosing = true;
        closeParts();
    }

    private synchronized void closeParts() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                LOG.warn("A part of the bridge of node {} could not be closed", config.node(), e);
            }
        }
    }
}
