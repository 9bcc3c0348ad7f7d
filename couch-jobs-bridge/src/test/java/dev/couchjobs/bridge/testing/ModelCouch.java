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
 * CouchDB servers in memory, their clients and the replication between them, with faults, from a seed.
 *
 * <p>All of it happens on one thread, that of the scheduler, and in its time. In a simulation that is virtual, and the
 * same seed gives the same run; elsewhere a single thread does, and then all but {@link #connect connections} is to be
 * used on it.
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
     * Begins without servers.
     *
     * @param scheduler has one thread
     * @param seed decides all that is left to chance
     * @param log is told of what goes wrong
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

    /** {@return a server of a name, started if there was none} */
    public ModelServer server(String name) {
        return servers.computeIfAbsent(name, made -> new ModelServer(made, random.split()));
    }

    List<ModelServer> servers() {
        return List.copyOf(servers.values());
    }

    /**
     * Connects somebody to a database, which need not be there yet.
     *
     * @param client its timers and continuations run there, and none after its end
     */
    public CouchDatabase connect(ModelServer server, String database, ScheduledExecutorService client) {
        return new ModelConnection(new Endpoint(server, database), network, client);
    }

    /** Replicates from one database to another from now on; both have to be there for that. */
    public ModelReplication replicate(Endpoint source, Endpoint target) {
        return replicate(source, target, document -> true);
    }

    /**
     * Replicates some revisions from one database to another from now on.
     *
     * @param selector says which leaves go over. A deletion is asked about like every other revision, and has only
     *     those fields that were written in it
     */
    public ModelReplication replicate(Endpoint source, Endpoint target, Predicate<ObjectNode> selector) {
        ModelReplication replication = new ModelReplication(source, target, selector, network);
        replications.add(replication);
        replication.begin();
        return replication;
    }

    /** Replicates a database between each two of some servers, both ways. */
    public void replicateAll(String database, Collection<ModelServer> between) {
        for (ModelServer from : between) {
            for (ModelServer to : between) {
                if (from != to) {
                    replicate(new Endpoint(from, database), new Endpoint(to, database));
                }
            }
        }
    }

    /** {@return whether no replication has anything left to do that it could do} */
    public boolean isSettled() {
        return replications.stream().allMatch(ModelReplication::isIdle);
    }

    /** Takes a server down for a while. */
    public void crash(ModelServer server, Duration downtime) {
        log.accept(server + " crashes for " + downtime);
        server.stop();
        network.after(downtime, server::start);
    }

    /** Cuts some servers off from the others, instead of those that were; their clients still reach them. */
    public void cut(Set<ModelServer> off) {
        log.accept("cuts off " + off.stream().map(ModelServer::name).sorted().toList());
        network.cut(off);
    }

    /** Has all servers reach each other. */
    public void join() {
        log.accept("all are joined");
        network.cut(Set.of());
    }

    /** Has nothing go wrong any more; servers that are down come back, and those that are cut off are joined. */
    public void calm() {
        weights.calm();
        join();
        servers().forEach(ModelServer::start);
    }

    /** Has something done on the thread of all this. */
    public void execute(Runnable action) {
        scheduler.execute(action);
    }
}
