package dev.couchjobs.bridge.testing;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A request that is repeated until it is answered or cancelled. */
final class Call<T> {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final int MOST_DOUBLINGS = 6;

    private final Request<T> request;
    private final Endpoint endpoint;
    private final CouchNetwork network;
    private final ScheduledExecutorService client;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private int tries;

    Call(Request<T> request, Endpoint endpoint, CouchNetwork network, ScheduledExecutorService client) {
        this.request = request;
        this.endpoint = endpoint;
        this.network = network;
        this.client = client;
    }

    CompletableFuture<T> answer() {
        return answer;
    }

    void giveUp() {
        answer.completeExceptionally(new IllegalStateException("The connection is closed"));
    }

    void begin() {
        if (network.strikes(CouchFault.LOST_REQUEST)) {
            if (network.random().nextBoolean()) {
                network.send(CouchFault.SLOW_REQUEST, () -> endpoint.reach().ifPresent(request::doneBy));
            }
            again();
        } else {
            network.send(CouchFault.SLOW_REQUEST, this::arrive);
        }
    }

    private void arrive() {
        Optional<ModelCouchDatabase> database = endpoint.reach();
        if (database.isEmpty() || network.strikes(CouchFault.BUSY)) {
            again();
        } else if (network.strikes(CouchFault.LOST_REPLY)) {
            network.log(endpoint.server() + " does not come to answer");
            lose(database.get());
        } else {
            reply(request.doneBy(database.get()));
        }
    }

    private void lose(ModelCouchDatabase database) {
        if (network.random().nextBoolean()) {
            var unused = request.doneBy(database);
        } else {
            request.partlyDoneBy(database);
        }
        if (network.strikes(CouchFault.FAILURE)) {
            IOException error = new IOException("The answer is lost");
            client.execute(() -> answer.completeExceptionally(error));
        } else {
            again();
        }
    }

    private void reply(T value) {
        int crashes = endpoint.server().crashes();
        network.send(CouchFault.SLOW_REPLY, () -> {
            if (endpoint.server().crashes() == crashes) {
                client.execute(() -> answer.complete(value));
            } else {
                again();
            }
        });
    }

    /** The client waits and repeats the request, unless its process has ended. */
    private void again() {
        client.execute(() -> {
            Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(tries++, MOST_DOUBLINGS));
            var unused = client.schedule(
                    () -> {
                        if (!answer.isDone()) {
                            network.execute(this::begin);
                        }
                    },
                    pause.toNanos(),
                    TimeUnit.NANOSECONDS);
        });
    }
}
