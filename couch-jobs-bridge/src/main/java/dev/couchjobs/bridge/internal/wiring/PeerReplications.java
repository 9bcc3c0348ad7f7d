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
 * Creates a node's database and the replications from its configured peers. Documents go both ways if both nodes name
 * each other. The log contains the failures of replications.
 */
final class PeerReplications implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeerReplications.class);
    private static final String FROM = "-from-";

    private final BridgeConfig config;
    private final Environment environment;
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
        this.environment = environment;
        this.client = client;
        this.own = own;
        this.replications = new Replications(settings(config.couchdb(), environment, client), loginThrottles);
        this.watch = new ReplicationWatch(config.node(), replications, environment);
        this.asked = new PeerCheck(loginThrottles);
    }

    static CouchSettings settings(CouchConfig couch, Environment environment, HttpClient client) {
        return CouchSettings.of(couch.url(), environment, client)
                .withCredentials(couch.credentials())
                .withHeartbeat(couch.heartbeat())
                .withCreation(couch.isCreated());
    }

    /**
     * Starts the replications, and creates them again when the database was replaced, because the server may have lost
     * them, too. The bridge works without replications that fail; these are logged.
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
                ? told(own.ensureDatabase(), "the database " + config.couchdb().url() + " cannot be created")
                : CompletableFuture.completedFuture(null);
        config.replication().peers().forEach((name, peer) -> {
            var unused = CompletableFuture.allOf(made, awaitPeer(peer)).thenCompose(there -> fetch(name, peer));
        });
        var unused = made.thenCompose(there -> removeUnconfigured());
    }

    /** Removes the replications from peers that are no longer configured, or have other addresses. */
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
                    LOG.debug("Node {}: old replications cannot be listed", config.node(), error);
                    return null;
                });
    }

    /** Whether this bridge would give the same name to a replication between the same databases. */
    private boolean isOwn(Replications.Kept one) {
        String between = hash(one.source(), one.target());
        boolean isNamedSo = one.id().startsWith(prefix()) && one.id().endsWith("-" + between);
        if (!isNamedSo || !one.target().equals(config.couchdb().url().toString())) {
            return false;
        }
        int end = one.id().length() - between.length() - 1;
        // The owner of "x-from-y-from-z" is ambiguous.
        return end > prefix().length()
                && !one.id().substring(prefix().length(), end).contains(FROM);
    }

    private CompletableFuture<Void> remove(Replications.Kept one) {
        return replications.remove(one.id()).thenAccept(removed -> {
            LOG.info(
                    "Node {}: the replication from {} was removed: the configuration does not contain it any more",
                    config.node(),
                    one.source());
        });
    }

    private CouchSettings settings(ReplicationConfig.Peer peer) {
        return CouchSettings.of(peer.url(), environment, client).withCredentials(peer.credentials());
    }

    private CompletableFuture<?> awaitPeer(ReplicationConfig.Peer peer) {
        return config.couchdb().isCreated() ? asked.make(settings(peer)) : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<Void> fetch(String name, ReplicationConfig.Peer peer) {
        Replication replication = replication(name, peer);
        watch.watch(name, replication, () -> asked.isThere(settings(peer)));
        return told(replications.ensure(replication), "the replication from " + name + " cannot be created");
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

    /** The same id at each start, and another one for other databases: a server may have several. */
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

    /** {@return the failures of the replications, for people} */
    List<String> troubles() {
        return Stream.concat(asked.troubles().stream(), watch.troubles().stream())
                .toList();
    }

    /** Stops the requests. The replications continue. */
    @Override
    public void close() {
        isClosed = true;
        watch.close();
        asked.close();
        replications.close();
    }
}
