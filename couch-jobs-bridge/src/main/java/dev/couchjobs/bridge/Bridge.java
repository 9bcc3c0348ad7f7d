package dev.couchjobs.bridge;

import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.wiring.RunningBridge;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * One node's bridge between CouchDB and couch-jobs. It runs the steps of job documents on this node, and writes their
 * progress into the documents.
 *
 * <pre>{@code
 * try (Bridge bridge = Bridge.of(Path.of("bridge.toml"))
 *         .handler("thumbnail", step -> { ...; return Optional.of("64 x 64"); })
 *         .start()) {
 *     ...
 * }
 * }</pre>
 *
 * <p>{@code rfc/014-job-documents.md} defines the documents, and {@code rfc/015-steps-on-nodes.md} how steps are
 * assigned to nodes. {@link BridgeMain} runs a bridge without handlers of its own. Thread-safe.
 */
public final class Bridge implements AutoCloseable {
    private final RunningBridge running;

    Bridge(RunningBridge running) {
        this.running = running;
    }

    /**
     * Creates a builder for the bridge of a configuration file.
     *
     * @param configuration the file, in the format of the {@code bridge.toml} that comes with the bridge
     * @return the builder
     * @throws BridgeConfigurationException if the file cannot be read or is invalid
     */
    public static BridgeBuilder of(Path configuration) {
        return new BridgeBuilder(BridgeBuilder.read(configuration));
    }

    static BridgeStarter.Started start(BridgeConfig config, boolean takesOver, CompletableFuture<Void> stop) {
        BridgeBuilder builder = new BridgeBuilder(config);
        Bridge bridge = (takesOver ? builder.takeOver() : builder).start(stop);
        return new BridgeStarter.Started() {
            @Override
            public CompletableFuture<Void> ready() {
                return bridge.ready();
            }

            @Override
            public CompletableFuture<String> stopped() {
                return bridge.stopped();
            }

            @Override
            public void close() {
                bridge.close();
            }
        };
    }

    /**
     * Reports that the bridge works. It starts without its CouchDB, and waits for it.
     *
     * @return completes when the CouchDB database has answered for the first time; never fails
     */
    public CompletableFuture<Void> ready() {
        return running.ready();
    }

    /**
     * Reports that the bridge has stopped by itself, for example because its database belongs to another bridge.
     * Running steps end as in {@link #close}, which the caller still has to call.
     *
     * @return completes with the reason, for people, if the bridge stops by itself; never fails
     */
    public CompletableFuture<String> stopped() {
        return running.stopped();
    }

    /**
     * Explains why a document is not being worked on, or its progress. For example, the bridge has not received it, or
     * its step waits for a worker, for another node or for its next try. The command line has the option {@code --why}
     * for this.
     *
     * @param documentId the document's id
     * @return the explanation, for people; further lines contain present failures of the bridge. Completes when the
     *     bridge's database answers, and CouchDB answers or has not for five seconds
     */
    public CompletableFuture<String> why(String documentId) {
        return running.why(Objects.requireNonNull(documentId, "documentId"));
    }

    /**
     * Closes the bridge. It imports no more documents. Running steps may continue for half a minute; those that have
     * not ended by then are stopped and released. Results that cannot be written to CouchDB are written after the next
     * start. The close takes less than 80 seconds, even if neither database answers.
     */
    @Override
    public void close() {
        running.close();
    }
}
