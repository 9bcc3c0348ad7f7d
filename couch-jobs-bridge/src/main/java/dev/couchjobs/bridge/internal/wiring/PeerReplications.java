package dev.couchjobs.bridge.internal.wiring;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.config.CouchConfig;
import dev.couchjobs.bridge.internal.config.ReplicationConfig;
import dev.couchjobs.bridge.internal.couch.CouchException;
import dev.couchjobs.bridge.internal.couch.CouchSettings;
import dev.couchjobs.bridge.internal.couch.HttpCouchDatabase;
import dev.couchjobs.bridge.internal.couch.LoginThrottles;
import dev.couchjobs.bridge.internal.couch.PeerCheck;
import dev.couchjobs.bridge.internal.couch.Replication;
import dev.couchjobs.bridge.internal.couch.ReplicationWatch;
import dev.couchjobs.bridge.internal.couch.Replications;
import java.net.http.HttpClient;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a node's database, and has its server fetch from the peers that the configuration names: where both name each
 * other, documents go both ways. What is wrong with a replication is said in the log.
 */
final class PeerReplications implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerReplications.class);
    private static final String FROM = "-from-";

    private final BridgeConfig config;
    private final HttpClient client;
    private final HttpCouchDatabase own;
    private final Replications replications;
    private final ReplicationWatch watch;
    private final PeerCheck asked;
    private volatile boolean isClosed;

    PeerReplications(
            BridgeConfig config,
            HttpClient client,
            Environment environment,
            LoginThrottles loginThrottles,
            HttpCouchDatabase own) {
        this.config = config;
        this.client = client;
        this.own = own;
        this.replications = new Replications(settings(config.couchdb(), client), loginThrottles);
        this.watch = new ReplicationWatch(config.node(), replications, environment);
        this.asked = new PeerCheck(loginThrottles);
    }

    static CouchSettings settings(CouchConfig couch, HttpClient client) {
        return CouchSettings.of(couch.url())
                .withCredentials(couch.credentials())
                .withHeartbeat(couch.heartbeat())
                .withCreation(couch.isCreated())
                .withClient(client);
    }

    /**
     * Begins, and again whenever the database was replaced: its server's replications may be gone, too. What cannot be
     * done is said in the log, and the bridge works without it.
     */
    void start() {
        own.whenReplaced(this::setUp);
        setUp();
    }

    private void setUp() {
        if (isClosed) {
            return;
        }
        CompletableFuture<Void> made = config.couchdb().isCreated()
                ? told(own.ensureDatabase(), "the database " + config.couchdb().url() + " cannot be made")
                : CompletableFuture.completedFuture(null);
        config.replication().peers().forEach((name, peer) -> {
            var unused = CompletableFuture.allOf(made, awaitPeer(peer)).thenCompose(there -> fetch(name, peer));
        });
        var unused = made.thenCompose(there -> removeUnconfigured());
    }

    /** Ends the replications from peers that have left the configuration, or have other addresses now. */
    private CompletableFuture<Void> removeUnconfigured() {
        Set<String> wanted = new TreeSet<>();
        config.replication()
                .peers()
                .forEach((name, peer) -> wanted.add(replication(name, peer).id()));
        return replications
                .kept(prefix())
                .thenCompose(kept -> CompletableFuture.allOf(kept.stream()
                        .filter(one -> isOwn(one) && !wanted.contains(one.id()))
                        .map(this::remove)
                        .toArray(CompletableFuture<?>[]::new)))
                .exceptionally(error -> {
                    LOG.debug("Node {}: old replications are not looked for", config.node(), error);
                    return null;
                });
    }

    /** Its name has to be one that this bridge would give to a replication between these two databases. */
    private boolean isOwn(Replications.Kept one) {
        String between = hash(one.source(), one.target());
        boolean isNamedSo = one.id().startsWith(prefix()) && one.id().endsWith("-" + between);
        if (!isNamedSo || !one.target().equals(config.couchdb().url().toString())) {
            return false;
        }
        int end = one.id().length() - between.length() - 1;
        // Of "x-from-y-from-z" it cannot be told whose it is.
        return end > prefix().length()
                && !one.id().substring(prefix().length(), end).contains(FROM);
    }

    private CompletableFuture<Void> remove(Replications.Kept one) {
        return replications.remove(one.id()).thenAccept(removed -> {
            LOG.info(
                    "Node {}: the replication from {} was removed: it is not in the configuration any more",
                    config.node(),
                    one.source());
        });
    }

    private CouchSettings settings(ReplicationConfig.Peer peer) {
        return CouchSettings.of(peer.url()).withCredentials(peer.credentials()).withClient(client);
    }

    private CompletableFuture<?> awaitPeer(ReplicationConfig.Peer peer) {
        return config.couchdb().isCreated() ? asked.make(settings(peer)) : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<Void> fetch(String name, ReplicationConfig.Peer peer) {
        Replication replication = replication(name, peer);
        watch.watch(name, replication, () -> asked.isThere(settings(peer)));
        return told(replications.ensure(replication), "the replication from " + name + " cannot be set up");
    }

    private Replication replication(String name, ReplicationConfig.Peer peer) {
        Replication.End source = new Replication.End(peer.url(), peer.credentials());
        Replication.End target =
                new Replication.End(config.couchdb().url(), config.couchdb().credentials());
        Optional<Replication.Choice> choice = config.replication().isSelective()
                ? Optional.of(new Replication.Choice.Selector(ReplicationSelector.of(config.node(), config.cluster())))
                : Optional.empty();
        return new Replication(id(name, source, target), source, target, true, choice);
    }

    /** The same at each start, and another one for another pair of databases: several may be on one server. */
    private String id(String peer, Replication.End source, Replication.End target) {
        return prefix() + peer + "-"
                + hash(source.address().toString(), target.address().toString());
    }

    private String prefix() {
        return "couch-jobs-" + config.node() + FROM;
    }

    private static String hash(String source, String target) {
        return Integer.toHexString((source + " " + target).hashCode());
    }

    private CompletableFuture<Void> told(CompletableFuture<?> done, String otherwise) {
        return done.handle((result, error) -> {
            if (error != null && !isClosed) {
                Throwable cause = Optional.ofNullable(error.getCause()).orElse(error);
                if (cause instanceof CouchException) {
                    LOG.error("Node {}: {}: {}", config.node(), otherwise, cause.getMessage());
                } else {
                    LOG.error("Node {}: {}", config.node(), otherwise, cause);
                }
            }
            return null;
        });
    }

    /** {@return what is wrong with the replications, for people} */
    List<String> troubles() {
        return Stream.concat(asked.troubles().stream(), watch.troubles().stream())
                .toList();
    }

    /** Ends what is being tried; the replications go on. */
    @Override
    public void close() {
        isClosed = true;
        watch.close();
        asked.close();
        replications.close();
    }
}
