package dev.couchjobs.bridge.internal.wiring;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.bridge.BridgeSettings;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.nodes.NodeControl;
import dev.couchjobs.bridge.internal.nodes.NodeReport;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a person sees of a node, and the changes of its settings.
 *
 * @param file the configuration of its file
 * @param shared what stays if its parts are replaced
 */
record SteeredNode(BridgeConfig file, NodeRuns runs, NodeRun.Shared shared, CouchConnections connections)
        implements NodeControl.Controlled {
    private static final Logger LOG = LoggerFactory.getLogger(SteeredNode.class);
    /** How many faults and running steps a report has. */
    private static final int REPORTED_MAX = 20;

    private static final int REPORTED_LENGTH = 500;

    @Override
    public NodeReport.RunState state() {
        NodeRun present = runs.present();
        BridgeConfig config = present.config();
        return new NodeReport.RunState(
                config.couchdb().url().toString(),
                present.isConnected(),
                config.settings(),
                Stream.concat(runs.whyStopped().stream(), present.troubles().stream())
                        .limit(REPORTED_MAX)
                        .map(SteeredNode::shortened)
                        .toList(),
                present.running(REPORTED_MAX),
                present.engine().running(),
                Resources.now());
    }

    @Override
    public boolean hasStopped() {
        return runs.whyStopped().isPresent();
    }

    @Override
    public NodeReport.StorePlace store() {
        return new NodeReport.StorePlace(
                file.join() == BridgeConfig.Join.FOUNDATIONDB,
                file.cluster().nodes(),
                file.cluster().groups(),
                ConfiguredParts.feedName(runs.present().config()));
    }

    @Override
    public CompletableFuture<Optional<String>> position(Transaction tx) {
        return runs.present().position(tx).thenApply(position -> position.map(SteeredNode::shortened));
    }

    private static String shortened(String text) {
        return text.length() <= REPORTED_LENGTH ? text : text.substring(0, REPORTED_LENGTH) + "...";
    }

    @Override
    public CompletableFuture<Void> apply(BridgeSettings settings) {
        if (hasStopped()) {
            return CompletableFuture.failedFuture(new IllegalStateException("the bridge has stopped"));
        }
        BridgeConfig config;
        try {
            config = file.with(settings);
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(e);
        }
        NodeRun present = runs.present();
        if (present.canAdjustTo(config)) {
            return present.adjust(config);
        }
        boolean isSameDatabase =
                present.config().couchdb().url().equals(config.couchdb().url());
        return isSameDatabase
                ? replace(config, Optional.empty())
                : connections.probe(config, false).thenCompose(probed -> replace(config, Optional.of(probed)));
    }

    private CompletableFuture<Void> replace(BridgeConfig config, Optional<CouchConnection> probed) {
        CompletableFuture<Void> replaced = new CompletableFuture<>();
        shared.threads().execute(() -> {
            try {
                LOG.info(
                        "Node {} ends its steps to follow {}",
                        file.node(),
                        config.couchdb().url());
                runs.replace(() -> next(config, probed));
                replaced.complete(null);
            } catch (Throwable e) { // also an error, which nothing else reports
                replaced.completeExceptionally(e);
            }
        });
        return replaced;
    }

    private NodeRuns.Next next(BridgeConfig config, Optional<CouchConnection> probed) {
        CouchConnection connection = probed.orElseGet(() -> connections.open(config));
        return new NodeRuns.Next(
                new NodeRun(config, shared, connection),
                () -> probed.isPresent() ? CompletableFuture.completedFuture(null) : connection.claim(false));
    }
}
