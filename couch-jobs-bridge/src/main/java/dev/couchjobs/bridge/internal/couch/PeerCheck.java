package dev.couchjobs.bridge.internal.couch;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Checks whether the databases of peers exist, so that a server's replicator can reach them. */
public final class PeerCheck implements AutoCloseable {
    /**
     * The replicator of CouchDB repeats a failed attempt after half a minute at first, and after twice that each time.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final LoginThrottles loginThrottles;
    private final Set<HttpCouchDatabase> open = ConcurrentHashMap.newKeySet();
    private volatile boolean isClosed;

    /** @param loginThrottles those of the bridge, shared by its clients */
    public PeerCheck(LoginThrottles loginThrottles) {
        this.loginThrottles = loginThrottles;
    }

    /**
     * Creates a peer's database if it does not exist.
     *
     * @return whether it exists; false if the peer does not answer in time. It does not complete while the peer refuses
     *     the user: the peer would refuse the replicator, too, and CouchDB locks an account after several refusals
     */
    public CompletableFuture<Boolean> make(CouchSettings peer) {
        return ask(peer, true, database -> database.ensureDatabase().thenApply(made -> true));
    }

    /** {@return whether a peer's database exists and accepts the user; false if that is not known in time} */
    public CompletableFuture<Boolean> isThere(CouchSettings peer) {
        return ask(peer, false, HttpCouchDatabase::isThere);
    }

    private CompletableFuture<Boolean> ask(
            CouchSettings peer,
            boolean isRefusalSatOut,
            Function<HttpCouchDatabase, CompletableFuture<Boolean>> question) {
        HttpCouchDatabase database = new HttpCouchDatabase(peer, loginThrottles);
        open.add(database);
        if (isClosed) {
            database.close();
        }
        CompletableFuture<Boolean> answer = question.apply(database).exceptionally(error -> false);
        CompletableFuture<Boolean> result = answer.copy();
        var timer = peer.environment()
                .scheduler()
                .schedule(
                        () -> {
                            if (!isRefusalSatOut || database.refusal().isEmpty()) {
                                peer.executor().execute(() -> {
                                    database.close();
                                    result.complete(false);
                                });
                            }
                        },
                        PATIENCE.toNanos(),
                        TimeUnit.NANOSECONDS);
        return result.whenComplete((isThere, error) -> {
            timer.cancel(false);
            open.remove(database);
            database.close();
        });
    }

    /** {@return the peers that refuse the user, for people} */
    public List<String> troubles() {
        return open.stream().flatMap(peer -> peer.refusal().stream()).distinct().toList();
    }

    /** Cancels the checks. */
    @Override
    public void close() {
        isClosed = true;
        open.forEach(HttpCouchDatabase::close);
    }
}
