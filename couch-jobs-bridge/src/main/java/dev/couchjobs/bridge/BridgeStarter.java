package dev.couchjobs.bridge;

import dev.couchjobs.bridge.internal.config.BridgeConfig;

/** Makes a running bridge of a configuration. */
@FunctionalInterface
interface BridgeStarter {

    /**
     * Starts one.
     *
     * @param config what it is to be
     * @return closes it: what runs may end first, for a while
     * @throws Exception if it cannot be started
     */
    AutoCloseable start(BridgeConfig config) throws Exception;
}
