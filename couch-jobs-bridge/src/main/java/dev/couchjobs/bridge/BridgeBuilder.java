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

/** Configures and starts a bridge; see {@link Bridge#of}. */
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
     * Registers a handler for steps of kind {@code java}.
     *
     * @param name the name by which documents refer to it
     * @param handler the handler
     * @return this builder
     * @throws IllegalArgumentException if the name is already registered
     */
    public BridgeBuilder handler(String name, StepHandler handler) {
        Objects.requireNonNull(handler, "handler");
        if (handlers.putIfAbsent(name, handler) != null) {
            throw new IllegalArgumentException("A handler is already registered with the name " + name + ".");
        }
        return this;
    }

    /**
     * Uses an open database in place of the configured one. It may contain the program's own data, or may be an
     * embedded one that several bridges of the process share.
     *
     * @param database the database; the caller closes it after the bridge
     * @return this builder
     */
    public BridgeBuilder database(Database database) {
        given = Optional.of(database);
        return this;
    }

    /**
     * Takes the CouchDB database over from another bridge of the same node name, which stops when it detects this. Use
     * it when that bridge is gone for good, or the store of the nodes of a cluster was lost: the bridge then believes
     * the progress in documents that its store has never had. Without it, a bridge stops if its database belongs to
     * another one.
     *
     * @return this builder
     */
    public BridgeBuilder takeOver() {
        takesOver = true;
        return this;
    }

    /**
     * Describes the configuration.
     *
     * @return a line for each setting; no passwords
     */
    public List<String> description() {
        return config.describe();
    }

    /** {@return the prefix of its rows, by which {@link BridgeNodes} finds its node} */
    public String prefix() {
        return config.engine().prefix();
    }

    /**
     * Starts the bridge. It does not need CouchDB to start, and connects to it as soon as possible. It waits for its
     * own database, and logs this.
     *
     * @return the bridge, which the caller has to close
     * @throws BridgeConfigurationException if a handler or the cluster file of the configuration does not exist
     * @throws RuntimeException if its database cannot be opened
     */
    public Bridge start() {
        return start(new CompletableFuture<>());
    }

    /** Starts the bridge, unless {@code stop} completes before its database has answered. */
    Bridge start(CompletableFuture<Void> stop) {
        List<String> missing = config.missing(handlers.keySet(), given.isPresent());
        if (!missing.isEmpty()) {
            throw new BridgeConfigurationException(missing);
        }
        return new Bridge(RunningBridge.start(config, handlers, given, takesOver, stop));
    }
}
