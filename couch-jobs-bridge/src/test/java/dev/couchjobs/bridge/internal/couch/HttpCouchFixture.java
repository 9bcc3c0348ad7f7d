package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.bridge.servers.CouchServers;
import dev.couchjobs.bridge.servers.Wire;
import dev.couchjobs.bridge.testing.TestClient;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Databases on two real servers, behind a proxy that can be cut. */
final class HttpCouchFixture implements CouchFixture {
    private static final long PATIENCE_SECONDS = 60;

    private final CouchServers servers;
    private final List<AutoCloseable> toClose = new ArrayList<>();
    private int places;

    HttpCouchFixture(CouchServers servers) {
        this.servers = servers;
    }

    @Override
    public Place place() {
        int server = places++ % 2;
        Wire wire = new Wire(servers.get(server).address());
        toClose.add(wire);
        return new HttpPlace(servers.newName(server), wire);
    }

    private final class HttpPlace implements Place {
        private final URI address;
        private final Wire wire;

        HttpPlace(URI address, Wire wire) {
            this.address = address;
            this.wire = wire;
        }

        @Override
        public void create() {
            await(open(address).ensureDatabase());
        }

        @Override
        public CouchDatabase connect() {
            return open(wire.through(address));
        }

        @Override
        public void interrupt() {
            wire.cut();
        }

        @Override
        public void resume() {
            wire.join();
        }
    }

    private static HttpCouchDatabase open(URI address) {
        return new HttpCouchDatabase(TestClient.settings(address)
                .withHeartbeat(Duration.ofSeconds(1))
                .withPauses(Duration.ofMillis(20), Duration.ofMillis(200)));
    }

    @Override
    public void replicate(Place source, Place target) {
        URI from = ((HttpPlace) source).address;
        URI to = ((HttpPlace) target).address;
        Replications replications = new Replications(TestClient.settings(to), new LoginThrottles("test"));
        toClose.add(replications);
        Replication replication =
                Replication.continuous("test-" + UUID.randomUUID(), servers.forServers(from), servers.forServers(to));
        await(replications.ensure(replication));
        toClose.add(() -> await(replications.remove(replication.id())));
    }

    @Override
    public <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        for (int last = toClose.size() - 1; last >= 0; last--) {
            closeQuietly(toClose.get(last));
        }
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
