package dev.couchjobs.bridge.internal.wiring;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.couch.HttpCouchDatabase;
import dev.couchjobs.bridge.internal.couch.LoginThrottles;
import dev.couchjobs.bridge.internal.couch.OwnerMark;
import java.net.http.HttpClient;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A node's CouchDB database, and the mark that it belongs to this bridge.
 *
 * @param client the HTTP client for the server
 * @param loginThrottles those of the bridge
 * @param couch the database
 * @param mark the mark
 * @param creates whether to create the database if it does not exist
 */
record CouchConnection(
        HttpClient client, LoginThrottles loginThrottles, HttpCouchDatabase couch, OwnerMark mark, boolean creates)
        implements AutoCloseable {

    /**
     * Opens a connection. It sends nothing.
     *
     * @param whenLost receives the reason when the database belongs to another bridge
     */
    static CouchConnection open(
            BridgeConfig config, Environment environment, OwnerMark.Owner owner, Consumer<String> whenLost) {
        HttpClient client = new ConfiguredParts(config).client();
        LoginThrottles loginThrottles = new LoginThrottles("Node " + config.node());
        HttpCouchDatabase couch =
                new HttpCouchDatabase(PeerReplications.settings(config.couchdb(), client), loginThrottles);
        OwnerMark mark = new OwnerMark(couch, environment, owner, whenLost);
        return new CouchConnection(
                client, loginThrottles, couch, mark, config.couchdb().isCreated());
    }

    /** {@return completes when the database is there and marked} Waits for one that does not answer. */
    CompletableFuture<Void> claim(boolean takesOver) {
        CompletableFuture<Void> there = creates ? couch.ensureDatabase() : CompletableFuture.completedFuture(null);
        return there.thenCompose(made -> mark.claim(takesOver));
    }

    @Override
    public void close() {
        mark.close();
        couch.close();
    }
}
