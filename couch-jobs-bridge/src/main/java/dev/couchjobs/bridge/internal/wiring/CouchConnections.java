package dev.couchjobs.bridge.internal.wiring;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.couch.OwnerMark;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Connects a bridge to CouchDB databases. */
record CouchConnections(Environment environment, Executor threads, OwnerMark.Owner owner) {
    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(20);

    /** {@return a connection that has sent nothing} */
    CouchConnection open(BridgeConfig config) {
        return CouchConnection.open(config, environment, threads, owner);
    }

    /**
     * {@return a connection to a database that answers and belongs to no other bridge} Fails after 20 seconds without
     * an answer, and if the database belongs to another bridge; the connection is closed then.
     *
     * @param takesOver whether the bridge takes the database over from another of the same name
     */
    CompletableFuture<CouchConnection> probe(BridgeConfig config, boolean takesOver) {
        CouchConnection connection = open(config);
        CompletableFuture<CouchConnection> result = connection.claim(takesOver).thenApply(claimed -> connection);
        Future<?> limit = environment
                .scheduler()
                .schedule(
                        () -> threads.execute(() -> result.completeExceptionally(unanswered(config, connection))),
                        PROBE_TIMEOUT.toSeconds(),
                        TimeUnit.SECONDS);
        return result.whenComplete((done, error) -> {
            limit.cancel(false);
            if (error != null) {
                threads.execute(connection::close);
            }
        });
    }

    private static IllegalStateException unanswered(BridgeConfig config, CouchConnection connection) {
        String why = connection.couch().trouble().map(trouble -> ": " + trouble).orElse("");
        return new IllegalStateException(config.couchdb().url() + " does not answer" + why);
    }
}
