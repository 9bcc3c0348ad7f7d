package dev.couchjobs.bridge.testing;

import dev.couchjobs.bridge.internal.couch.ChangesFeed;
import dev.couchjobs.bridge.internal.couch.ChangesListener;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The changes of a database, in batches, one at a time. */
final class ModelFeed implements ChangesFeed {
    private static final int BATCH = 100;
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final ChangesListener listener;
    private final Endpoint endpoint;
    private final CouchNetwork network;
    private final ScheduledExecutorService client;
    private @Nullable ModelPosition position;
    private volatile boolean closed;

    ModelFeed(
            @Nullable JsonNode since,
            ChangesListener listener,
            Endpoint endpoint,
            CouchNetwork network,
            ScheduledExecutorService client) {
        this.position = since == null ? null : ModelPosition.of(since);
        this.listener = listener;
        this.endpoint = endpoint;
        this.network = network;
        this.client = client;
    }

    void begin() {
        network.send(CouchFault.SLOW_REQUEST, this::look);
    }

    private void look() {
        if (closed) {
            return;
        }
        Optional<ModelCouchDatabase> database = endpoint.reach();
        if (database.isEmpty()) {
            beginLater();
            return;
        }
        Changes changes = next(database.get());
        if (changes.rows().isEmpty()) {
            endpoint.server().whenChanged(this::begin);
        } else if (network.strikes(CouchFault.BROKEN_FEED)) {
            beginLater();
        } else {
            send(changes);
        }
    }

    private Changes next(ModelCouchDatabase database) {
        int most = 1 + network.random().nextInt(BATCH);
        boolean mayRepeat = !database.changes(position, 1).rows().isEmpty();
        if (mayRepeat && network.strikes(CouchFault.REPEATED_CHANGES)) {
            return database.changes(database.before(position), most);
        }
        return database.changes(position, most);
    }

    private void send(Changes changes) {
        int crashes = endpoint.server().crashes();
        network.send(CouchFault.SLOW_REPLY, () -> {
            if (endpoint.server().crashes() == crashes) {
                client.execute(() -> tell(changes));
            } else {
                beginLater();
            }
        });
    }

    private void tell(Changes changes) {
        if (closed) {
            return;
        }
        CompletableFuture<Void> told;
        try {
            told = listener.changed(changes.rows(), changes.position().toJson());
        } catch (RuntimeException e) {
            told = CompletableFuture.failedFuture(e);
        }
        var unused = told.whenComplete((done, error) -> {
            if (error == null) {
                position = changes.position();
                network.execute(this::begin);
            } else {
                later(() -> tell(changes));
            }
        });
    }

    private void beginLater() {
        client.execute(() -> later(() -> network.execute(this::begin)));
    }

    private void later(Runnable action) {
        var unused = client.schedule(action, PAUSE.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        closed = true;
    }
}
