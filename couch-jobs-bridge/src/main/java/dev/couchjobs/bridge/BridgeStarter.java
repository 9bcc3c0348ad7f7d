package dev.couchjobs.bridge;

import dev.couchjobs.bridge.internal.config.BridgeConfig;
import java.util.concurrent.CompletableFuture;

/** Makes a running bridge of a configuration. */
@FunctionalInterface
interface BridgeStarter {

    /**
     * Starts one.
     *
     * @param config what it is to be
     * @param takesOver whether it takes its database over from another bridge of its name
     * @param stop completes when it is no longer wanted: then what it waits for is waited for no more
     * @return the bridge
     * @throws java.util.concurrent.CancellationException if it was no longer wanted before it had started
     * @throws Exception if it cannot be started
     */
    Started start(BridgeConfig config, boolean takesOver, CompletableFuture<Void> stop) throws Exception;

    /** A bridge that has started, and may be waiting for its CouchDB. */
    @FunctionalInterface
    interface Started {
        /** Ends it: what runs may end first, for a while. */
        void close() throws Exception;

        /** {@return completes when its CouchDB has answered} */
        default CompletableFuture<Void> ready() {
            return CompletableFuture.completedFuture(null);
        }

        /** {@return completes with the reason if the bridge ends by itself} */
        default CompletableFuture<String> stopped() {
            return new CompletableFuture<>();
        }
    }
}
