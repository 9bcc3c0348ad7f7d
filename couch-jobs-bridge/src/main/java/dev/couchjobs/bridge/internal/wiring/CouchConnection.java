package dev.couchjobs.bridge.internal.wiring;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.couch.HttpCouchDatabase;
import dev.couchjobs.bridge.internal.couch.LoginThrottles;
import dev.couchjobs.bridge.internal.couch.OwnerMark;
import java.net.http.HttpClient;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A node's CouchDB database, and the mark that it belongs to this bridge.
 *
 * @param client the HTTP client for the server
 * @param loginThrottles those of the bridge
 * @param couch the database
 * @param mark the mark
 * @param creates whether to create the database if it does not exist
 * @param lost completes with the reason, for people, when another bridge has taken the database over
 */
record CouchConnection(
        HttpClient client,
        LoginThrottles loginThrottles,
        HttpCouchDatabase couch,
        OwnerMark mark,
        boolean creates,
        CompletableFuture<String> lost)
        implements AutoCloseable {

    /** Opens a connection. It sends nothing. */
    static CouchConnection open(BridgeConfig config, Environment environment, Executor threads, OwnerMark.Owner owner) {
        HttpClient client = new ConfiguredParts(config, threads).client();
        LoginThrottles loginThrottles = new LoginThrottles("Node " + config.node());
        HttpCouchDatabase couch =
                new HttpCouchDatabase(PeerReplications.settings(config.couchdb(), environment, client), loginThrottles);
        CompletableFuture<String> lost = new CompletableFuture<>();
        OwnerMark mark = new OwnerMark(couch, environment, owner, lost::complete);
        return new CouchConnection(
                client, loginThrottles, couch, mark, config.couchdb().isCreated(), lost);
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
