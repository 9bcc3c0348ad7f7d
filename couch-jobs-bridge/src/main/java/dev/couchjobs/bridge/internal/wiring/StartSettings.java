package dev.couchjobs.bridge.internal.wiring;

import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.nodes.NodeControl;
import dev.couchjobs.bridge.internal.nodes.NodeReport;
import dev.couchjobs.bridge.internal.nodes.NodeRows;
import dev.couchjobs.bridge.internal.nodes.WantedSettings;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the settings with which a node starts: those that are wanted. If they are refused, it starts with those that
 * were in effect before, so that a change that it refuses does not stop it at its next start.
 *
 * @param file the configuration of the node's file
 * @param control is told what is in effect
 * @param takesOver whether the node takes its CouchDB database over from another bridge of the same name
 * @param stop completes to cancel the start
 */
record StartSettings(
        BridgeConfig file,
        CouchConnections connections,
        NodeControl control,
        AnswerWait waiting,
        boolean takesOver,
        CompletableFuture<Void> stop) {
    private static final Logger LOG = LoggerFactory.getLogger(StartSettings.class);

    /** The settings that are wanted for the node, and those that were in effect when it reported last. */
    record Stored(WantedSettings wanted, WantedSettings applied) {}

    /** A configuration, and the connection to its database, which is claimed or will be. */
    record Followed(BridgeConfig config, CouchConnection connection, CompletableFuture<Void> claimed) {}

    static CompletableFuture<Stored> read(NodeRows rows, ReadTransaction tx, String node) {
        return rows.wanted(tx, node)
                .thenCombine(
                        rows.report(tx, node),
                        (wanted, report) -> new Stored(
                                wanted, report.map(NodeReport::applied).orElse(WantedSettings.NONE)));
    }

    /**
     * Connects the node. If its database is another than before, blocks until that answers, for at most 20 seconds.
     *
     * @throws CancellationException if the start was cancelled
     */
    Followed follow(Stored stored) {
        BridgeConfig last = lastApplied(stored.applied());
        WantedSettings wanted = stored.wanted();
        if (wanted.equals(control.applied())) {
            return follow(last);
        }
        try {
            BridgeConfig config = file.with(wanted.settings());
            Followed next = config.couchdb().url().equals(last.couchdb().url())
                    ? follow(config)
                    : new Followed(config, probed(config), CompletableFuture.completedFuture(null));
            control.applied(wanted);
            return next;
        } catch (CancellationException e) {
            throw e;
        } catch (RuntimeException e) {
            control.refused(wanted, e);
            return follow(last);
        }
    }

    /** {@return the file with the settings that were in effect; without them if it does not allow them any more} */
    private BridgeConfig lastApplied(WantedSettings applied) {
        try {
            BridgeConfig config = file.with(applied.settings());
            control.applied(applied);
            return config;
        } catch (IllegalArgumentException e) {
            LOG.warn("Node {} starts with the settings of its file: {}", file.node(), e.getMessage());
            return file;
        }
    }

    private Followed follow(BridgeConfig config) {
        CouchConnection connection = connections.open(config);
        return new Followed(config, connection, connection.claim(takesOver));
    }

    private CouchConnection probed(BridgeConfig config) {
        CompletableFuture<CouchConnection> probe = connections.probe(config, takesOver);
        try {
            return waiting.answer(probe, "the answer of " + config.couchdb().url(), stop);
        } catch (CancellationException e) {
            var unused = probe.thenAcceptAsync(CouchConnection::close, connections.threads());
            throw e;
        }
    }
}
