package dev.couchjobs.bridge.internal.couch;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Asks whether the databases of peers are there, so that a server's replicator can reach them. */
public final class PeerCheck implements AutoCloseable {
    /**
     * CouchDB's replicator that finds no database tries again after half a minute at first, and twice that each time.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final LoginThrottles loginThrottles;
    private final Set<HttpCouchDatabase> open = ConcurrentHashMap.newKeySet();
    private volatile boolean isClosed;

    /** @param loginThrottles shared with what else asks those servers */
    public PeerCheck(LoginThrottles loginThrottles) {
        this.loginThrottles = loginThrottles;
    }

    /**
     * Makes a peer's database if there is none.
     *
     * @return whether it is there; false if the peer does not answer for some time. While the peer refuses the user,
     *     this stays open: the replicator would be refused, too, and CouchDB counts refusals until it locks the account
     */
    public CompletableFuture<Boolean> make(CouchSettings peer) {
        return ask(peer, true, database -> database.ensureDatabase().thenApply(made -> true));
    }

    /** {@return whether a peer's database is there and accepts the user; false if that is not known after some time} */
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

    /** {@return which peers refuse the user, for people} */
    public List<String> troubles() {
        return open.stream().flatMap(peer -> peer.refusal().stream()).distinct().toList();
    }

    /** Ends what is being asked. */
    @Override
    public void close() {
        isClosed = true;
        open.forEach(HttpCouchDatabase::close);
    }
}
