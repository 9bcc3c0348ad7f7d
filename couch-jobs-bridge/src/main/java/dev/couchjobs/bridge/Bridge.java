package dev.couchjobs.bridge;

import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.wiring.RunningBridge;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * One node's bridge between CouchDB and couch-jobs: it runs the steps of job documents that are this node's to run, and
 * writes into the documents what happens to them.
 *
 * <pre>{@code
 * try (Bridge bridge = Bridge.of(Path.of("bridge.toml"))
 *         .handler("thumbnail", step -> { ...; return Optional.of("64 x 64"); })
 *         .start()) {
 *     ...
 * }
 * }</pre>
 *
 * <p>What a document may say is in {@code rfc/014-job-documents.md}, how its steps come to nodes in {@code
 * rfc/015-steps-on-nodes.md}. A bridge without handlers of its own is best run by {@link BridgeMain}. Thread-safe.
 */
public final class Bridge implements AutoCloseable {
    private final RunningBridge running;

    Bridge(RunningBridge running) {
        this.running = running;
    }

    /**
     * A bridge as a file configures it.
     *
     * @param configuration a file such as {@code bridge.toml}; what may be in it is said in the one that comes with the
     *     bridge
     * @return what starts it
     * @throws BridgeConfigurationException if the file cannot be read, or something in it is wrong
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
     * Tells when the bridge works: it starts without its CouchDB, and waits for it.
     *
     * @return completes when its CouchDB database has answered for the first time; never fails
     */
    public CompletableFuture<Void> ready() {
        return running.ready();
    }

    /**
     * Tells when the bridge cannot go on: its database belongs to another bridge of its name, say. It takes nothing
     * more in then, and what runs ends as when the bridge is closed. It still has to be closed.
     *
     * @return completes with the reason, for people, if the bridge ends by itself; never fails
     */
    public CompletableFuture<String> stopped() {
        return running.stopped();
    }

    /**
     * Tells why a document is not being worked on, or how it is: the bridge has not seen it yet, say, or its step waits
     * for a worker, for another node or for the time of its next try. The command line asks the same with {@code
     * --why}.
     *
     * @param documentId the document's id
     * @return what the bridge knows, for people; further lines say what is wrong with the bridge at present. Completes
     *     when the bridge's database answers, and CouchDB answers or has been silent for five seconds
     */
    public CompletableFuture<String> why(String documentId) {
        return running.why(Objects.requireNonNull(documentId, "documentId"));
    }

    /**
     * Ends the bridge. It takes nothing more in; what runs may come to its end for half a minute, and is then stopped
     * and given back. What could not be written into documents any more is written when the bridge is started again.
     * Takes less than 80 seconds, whatever does not answer.
     */
    @Override
    public void close() {
        running.close();
    }
}
