package dev.couchjobs.bridge;

import dev.couchjobs.bridge.internal.config.BridgeConfig;
import java.util.concurrent.CompletableFuture;

/** Starts the bridge of a configuration. */
@FunctionalInterface
interface BridgeStarter {

    /**
     * Starts a bridge.
     *
     * @param config the configuration
     * @param takesOver whether it takes its database over from another bridge of the same name
     * @param stop completes to cancel the start while it waits
     * @return the bridge
     * @throws java.util.concurrent.CancellationException if the start was cancelled
     * @throws Exception if the bridge cannot be started
     */
    Started start(BridgeConfig config, boolean takesOver, CompletableFuture<Void> stop) throws Exception;

    /** A bridge that has started, and may wait for its CouchDB. */
    @FunctionalInterface
    interface Started {
        /** Closes the bridge. Running steps may continue for a while. */
        void close() throws Exception;

        /** {@return completes when its CouchDB has answered} */
        default CompletableFuture<Void> ready() {
            return CompletableFuture.completedFuture(null);
        }

        /** {@return completes with the reason if the bridge stops by itself} */
        default CompletableFuture<String> stopped() {
            return new CompletableFuture<>();
        }
    }
}
