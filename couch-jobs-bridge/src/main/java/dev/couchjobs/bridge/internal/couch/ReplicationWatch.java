package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.RootCauses;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the replications of a node once a minute. It logs the changes of their states with the reason, and creates a
 * replication again that CouchDB has given up, or has paused for hours although the peer answers.
 */
public final class ReplicationWatch implements AutoCloseable {
    private static final Duration LOOK_EVERY = Duration.ofMinutes(1);
    /** One hour, in checks. */
    private static final int LONGEST_PAUSE = 60;

    private final Logger log;
    private final String node;
    private final Replications replications;
    private final Environment environment;
    private final Map<String, Watched> watched = new TreeMap<>();
    private @Nullable Future<?> timer;
    private CompletableFuture<Void> last = done();
    private boolean isClosed;

    /**
     * Creates a watch without replications.
     *
     * @param node the node's name, for the log
     */
    public ReplicationWatch(String node, Replications replications, Environment environment) {
        this(node, replications, environment, LoggerFactory.getLogger(ReplicationWatch.class));
    }

    ReplicationWatch(String node, Replications replications, Environment environment, Logger log) {
        this.log = log;
        this.node = node;
        this.replications = replications;
        this.environment = environment;
    }

    private static final class Watched {
        private final Replication replication;
        private final Supplier<CompletableFuture<Boolean>> isPeerThere;
        private volatile Optional<Replications.State> told = Optional.empty();
        private boolean wasInTrouble;
        /** The pause in checks, which are a minute apart. Timers are too inexact to compare times. */
        private int pause = 1;

        private int looksToPass;

        Watched(Replication replication, Supplier<CompletableFuture<Boolean>> isPeerThere) {
            this.replication = replication;
            this.isPeerThere = isPeerThere;
        }

        /** {@return whether to create it again} CouchDB's own next attempt comes first. */
        boolean isDue(Replications.State state) {
            boolean isFirst = !wasInTrouble;
            wasInTrouble = true;
            if (isFirst && !state.hasFailed()) {
                return false;
            }
            looksToPass = Math.max(looksToPass - 1, 0);
            return looksToPass == 0;
        }

        void isMadeAnew() {
            looksToPass = pause;
            pause = Math.min(pause * 2, LONGEST_PAUSE);
        }

        void runs() {
            told = Optional.empty();
            wasInTrouble = false;
            pause = 1;
            looksToPass = 0;
        }
    }

    /**
     * Adds a replication from a peer, in place of an earlier one.
     *
     * @param isPeerThere checks whether the peer's database answers and accepts the user; completes within a minute
     */
    public synchronized void watch(
            String peer, Replication replication, Supplier<CompletableFuture<Boolean>> isPeerThere) {
        watched.put(peer, new Watched(replication, isPeerThere));
        if (timer == null && !isClosed) {
            timer = environment
                    .scheduler()
                    .scheduleWithFixedDelay(
                            () -> replications.executor().execute(this::look),
                            LOOK_EVERY.toSeconds(),
                            LOOK_EVERY.toSeconds(),
                            TimeUnit.SECONDS);
        }
    }

    /** {@return the failures of the replications, for people} */
    public synchronized List<String> troubles() {
        return watched.entrySet().stream()
                .flatMap(each -> each.getValue().told.map(state -> describe(each.getKey(), state)).stream())
                .toList();
    }

    private static String describe(String peer, Replications.State state) {
        return "the replication from " + peer + " is " + state.name() + ": " + state.reason() + ". Documents of " + peer
                + " do not arrive meanwhile";
    }

    private synchronized void look() {
        if (last.isDone() && !isClosed) {
            last = CompletableFuture.allOf(watched.entrySet().stream()
                    .map(each -> look(each.getKey(), each.getValue()))
                    .toArray(CompletableFuture<?>[]::new));
        }
    }

    /** {@return completes when the last check has ended} */
    synchronized CompletableFuture<Void> looked() {
        return last.copy();
    }

    private CompletableFuture<?> look(String peer, Watched one) {
        return replications
                .state(one.replication.id())
                .thenCompose(state -> state.map(seen -> seen(peer, one, seen)).orElseGet(ReplicationWatch::done))
                .exceptionally(error -> {
                    log.debug(
                            "Node {}: the state of the replication from {} is unknown",
                            node,
                            peer,
                            RootCauses.of(error));
                    return null;
                });
    }

    private CompletableFuture<Void> seen(String peer, Watched one, Replications.State state) {
        tell(peer, one, state);
        if (!state.isTrouble() || !one.isDue(state)) {
            return done();
        }
        return (state.hasFailed() ? CompletableFuture.completedFuture(true) : one.isPeerThere.get())
                .thenCompose(isThere -> isThere ? makeAnew(peer, one) : done());
    }

    /** CouchDB starts a new replication at once, and resets its failure count. */
    private CompletableFuture<Void> makeAnew(String peer, Watched one) {
        one.isMadeAnew();
        return replications
                .remove(one.replication.id())
                .thenCompose(removed -> replications.ensure(one.replication))
                .thenAccept(made -> log.info("Node {}: the replication from {} was created again", node, peer));
    }

    /** Logs each change once. The states through which a server passes during a new attempt are ignored. */
    private void tell(String peer, Watched one, Replications.State state) {
        if (state.isTrouble() && !one.told.equals(Optional.of(state))) {
            one.told = Optional.of(state);
            log.warn(
                    "Node {}: {}; {}",
                    node,
                    describe(peer, state),
                    state.hasFailed()
                            ? "CouchDB has given it up, and the bridge creates it again"
                            : "CouchDB tries again with growing pauses, and the bridge creates it again when the"
                                    + " peer answers");
        } else if (state.isRunning() && one.told.isPresent()) {
            one.runs();
            log.info("Node {}: the replication from {} runs again", node, peer);
        }
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        if (timer != null) {
            timer.cancel(false);
        }
    }
}
