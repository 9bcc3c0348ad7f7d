package dev.couchjobs.bridge.internal.wiring;

import dev.couchjobs.bridge.internal.RootCauses;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.couch.CouchException;
import dev.couchjobs.bridge.internal.couch.OwnerMark;
import dev.couchjobs.bridge.internal.nodes.NodeControl;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a node that follow its CouchDB database: begins them, replaces them by others, and stops them for good
 * if they cannot go on.
 */
final class NodeRuns implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRuns.class);

    private final BridgeConfig file;
    private final AnswerWait waiting;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<String> stopped = new CompletableFuture<>();
    private final CompletableFuture<Void> closing = new CompletableFuture<>();
    private volatile @Nullable NodeRun run;
    private volatile @Nullable NodeControl control;

    /**
     * Parts that are to replace others.
     *
     * @param run the parts, which have not begun
     * @param claim begins to claim their database
     */
    record Next(NodeRun run, Supplier<CompletableFuture<Void>> claim) {}

    NodeRuns(BridgeConfig file, AnswerWait waiting) {
        this.file = file;
        this.waiting = waiting;
    }

    /** Sets the first parts, which have not begun. */
    void first(NodeRun first) {
        run = first;
    }

    /** Sets the control that from now on reports each change. */
    void reportTo(NodeControl reporter) {
        control = reporter;
    }

    /** {@return the present parts} */
    NodeRun present() {
        return Objects.requireNonNull(run, "the run begins before the control");
    }

    /** {@return the present parts, empty before there are any} */
    Optional<NodeRun> ifPresent() {
        return Optional.ofNullable(run);
    }

    /**
     * Begins the first parts. Blocks until the engine has started, unless nodes replicate.
     *
     * @param claimed completes when the database is known to be this bridge's
     * @param stop completes to cancel the wait
     * @throws CancellationException if the wait was cancelled
     */
    void begin(CompletableFuture<Void> claimed, CompletableFuture<Void> stop) {
        CompletableFuture<Void> started = begin(present(), claimed);
        if (!isReplicated()) {
            waiting.database(started, stop);
        }
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

    /**
     * Closes the present parts, and then begins others. Blocks.
     *
     * @param opening opens the others; if that fails, the present parts go on
     * @throws IllegalStateException if the bridge is closing or has stopped; the others are closed then
     * @throws CancellationException if the bridge closes while the engine starts
     */
    synchronized void replace(Supplier<Next> opening) {
        Next next = opening.get();
        present().close();
        run = next.run();
        // Read after the write: a stop that comes later finds these parts, and closes them.
        if (closing.isDone() || stopped.isDone()) {
            next.run().close();
            throw new IllegalStateException("the bridge ends");
        }
        CompletableFuture<Void> claimed = next.claim().get();
        CompletableFuture<Void> started = begin(next.run(), claimed);
        if (claimed.isDone() || !isReplicated()) { // otherwise it waits for a CouchDB that may be down
            waiting.database(started, closing);
        }
    }

    private void stopIfFailed(NodeRun begun, CompletableFuture<Void> part) {
        var unused = part.whenComplete((done, error) -> {
            if (error != null) {
                stopBecause(begun, reason(RootCauses.of(error)));
            }
        });
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
    void stopBecause(String reason) {
        boolean isFirst = stopped.complete(reason);
        NodeRun present = run; // read after that: parts that are published later find that the bridge has stopped
        if (isFirst && present != null) {
            LOG.error("Node {} stops: {}", file.node(), reason);
            var unused = present.engine().closeAsync();
            reportNow();
        }
    }

    private void reportNow() {
        NodeControl present = control;
        if (present != null) {
            present.report();
        }
    }

    /** {@return completes when the CouchDB database has answered for the first time} */
    CompletableFuture<Void> ready() {
        return ready.copy();
    }

    /** {@return completes with the reason if the bridge stops by itself} */
    CompletableFuture<String> stopped() {
        return stopped.copy();
    }

    /** {@return why the bridge has stopped by itself, for people; empty if it has not} */
    Optional<String> whyStopped() {
        return stopped.isDone() ? Optional.of("the bridge has stopped: " + stopped.join()) : Optional.empty();
    }

    /** Closes the parts, and those that a change is opening meanwhile. */
    @Override
    public void close() {
        closing.complete(null);
        closePresent();
        synchronized (this) { // a change has ended, and may have set other parts
            closePresent();
        }
    }

    private void closePresent() {
        ifPresent().ifPresent(NodeRun::close);
    }
}
