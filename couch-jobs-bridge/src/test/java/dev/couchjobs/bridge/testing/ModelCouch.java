package dev.couchjobs.bridge.testing;

import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Predicate;
import tools.jackson.databind.node.ObjectNode;

/**
 * CouchDB servers in memory, with their clients, replication and faults, from a seed.
 *
 * <p>Everything runs on the scheduler's thread and in its time. In a simulation that time is virtual, and the same seed
 * gives the same run. Otherwise the scheduler has one thread, and all methods but those of {@link #connect connections}
 * must be called on it.
 */
public final class ModelCouch {
    private final ScheduledExecutorService scheduler;
    private final CouchFaultWeights weights;
    private final Consumer<String> log;
    private final SplittableRandom random;
    private final CouchNetwork network;
    private final Map<String, ModelServer> servers = new LinkedHashMap<>();
    private final List<ModelReplication> replications = new ArrayList<>();

    /**
     * Creates a model without servers.
     *
     * @param scheduler has one thread
     * @param seed determines all random choices
     * @param log receives the faults
     */
    public ModelCouch(ScheduledExecutorService scheduler, long seed, CouchFaultWeights weights, Consumer<String> log) {
        this.scheduler = scheduler;
        this.weights = weights;
        this.log = log;
        this.random = new SplittableRandom(seed);
        this.network = new CouchNetwork(scheduler, weights, random.split(), log);
        new CouchFaultScheduler(scheduler, weights, random.split(), this).begin();
        log.accept("CouchDB with " + weights);
    }

    /** {@return the server with the given name, started if it is new} */
    public ModelServer server(String name) {
        return servers.computeIfAbsent(name, made -> new ModelServer(made, random.split()));
    }

    List<ModelServer> servers() {
        return List.copyOf(servers.values());
    }

    /**
     * Connects a client to a database, which need not exist yet.
     *
     * @param client runs the client's timers and callbacks; none run after it has ended
     */
    public CouchDatabase connect(ModelServer server, String database, ScheduledExecutorService client) {
        return new ModelConnection(new Endpoint(server, database), network, client);
    }

    /** Starts a replication between two databases. It waits until both exist. */
    public ModelReplication replicate(Endpoint source, Endpoint target) {
        return replicate(source, target, document -> true);
    }

    /**
     * Starts a replication of some revisions between two databases.
     *
     * @param selector selects the leaves to replicate. It is called for deletions, too, which contain only the fields
     *     that were written
     */
    public ModelReplication replicate(Endpoint source, Endpoint target, Predicate<ObjectNode> selector) {
        ModelReplication replication = new ModelReplication(source, target, selector, network);
        replications.add(replication);
        replication.begin();
        return replication;
    }

    /** Starts the replication of a database between each two of the given servers, in both directions. */
    public void replicateAll(String database, Collection<ModelServer> between) {
        for (ModelServer from : between) {
            for (ModelServer to : between) {
                if (from != to) {
                    replicate(new Endpoint(from, database), new Endpoint(to, database));
                }
            }
        }
    }

    /** {@return whether no replication can make progress} */
    public boolean isSettled() {
        return replications.stream().allMatch(ModelReplication::isIdle);
    }

    /** Stops a server for a time. */
    public void crash(ModelServer server, Duration downtime) {
        log.accept(server + " crashes for " + downtime);
        server.stop();
        network.after(downtime, server::start);
    }

    /** Cuts the given servers off from the others, in place of an earlier cut; clients still reach them. */
    public void cut(Set<ModelServer> off) {
        log.accept("cuts off " + off.stream().map(ModelServer::name).sorted().toList());
        network.cut(off);
    }

    /** Ends the cut. */
    public void join() {
        log.accept("all are joined");
        network.cut(Set.of());
    }

    /** Ends all faults: starts the servers that are down, and ends the cut. */
    public void calm() {
        weights.calm();
        join();
        servers().forEach(ModelServer::start);
    }

    /** Runs an action on the thread of the model. */
    public void execute(Runnable action) {
        scheduler.execute(action);
    }
}
