package dev.couchjobs.bridge;

import com.apple.foundationdb.Database;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.config.ConfigException;
import dev.couchjobs.bridge.internal.config.ConfigReader;
import dev.couchjobs.bridge.internal.wiring.RunningBridge;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Starts a bridge; made by {@link Bridge#of}. */
public final class BridgeBuilder {
    private final BridgeConfig config;
    private final Map<String, StepHandler> handlers = new TreeMap<>();
    private Optional<Database> given = Optional.empty();
    private boolean takesOver;

    BridgeBuilder(BridgeConfig config) {
        this.config = config;
    }

    static BridgeConfig read(Path configuration) {
        try {
            return ConfigReader.read(configuration, System.getenv(), Optional.empty());
        } catch (ConfigException e) {
            throw new BridgeConfigurationException(e.mistakes(), e);
        }
    }

    /**
     * Registers a handler, which documents name in steps of kind {@code java}.
     *
     * @param name the name
     * @param handler does such steps
     * @return this builder
     * @throws IllegalArgumentException if there is a handler of that name
     */
    public BridgeBuilder handler(String name, StepHandler handler) {
        Objects.requireNonNull(handler, "handler");
        if (handlers.putIfAbsent(name, handler) != null) {
            throw new IllegalArgumentException("There is a handler of the name " + name + " already.");
        }
        return this;
    }

    /**
     * Uses an open database in place of the one that the configuration names, for example one that the program has
     * opened for its own data, or an embedded one that several bridges of one process share.
     *
     * @param database stays the caller's, to be closed after the bridge
     * @return this builder
     */
    public BridgeBuilder database(Database database) {
        given = Optional.of(database);
        return this;
    }

    /**
     * Takes the CouchDB database over from another bridge of the node's name, which stops when it notices that. For
     * when that one is gone for good; without this, a bridge stops if its database belongs to another.
     *
     * @return this builder
     */
    public BridgeBuilder takeOver() {
        takesOver = true;
        return this;
    }

    /**
     * What the bridge has understood of its configuration.
     *
     * @return a line for each thing; no passwords
     */
    public List<String> description() {
        return config.describe();
    }

    /**
     * Starts the bridge. It need not reach CouchDB for that: it goes on trying. It waits for its database, and says so
     * in the log.
     *
     * @return the bridge, to be closed when it is to end
     * @throws BridgeConfigurationException if the configuration names a handler or a cluster file that is not there
     * @throws RuntimeException if its database cannot be opened
     */
    public Bridge start() {
        return start(new CompletableFuture<>());
    }

    /** Starts it, unless it is no longer wanted before its database has answered. */
    Bridge start(CompletableFuture<Void> stop) {
        List<String> missing = config.missing(handlers.keySet(), given.isPresent());
        if (!missing.isEmpty()) {
            throw new BridgeConfigurationException(missing);
        }
        return new Bridge(RunningBridge.start(config, handlers, given, takesOver, stop));
    }
}
