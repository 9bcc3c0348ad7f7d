package dev.couchjobs.bridge.servers;

import java.net.URI;
import java.time.Duration;
import org.testcontainers.Testcontainers;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * Apache CouchDB in containers, which reach each other by the host's ports. The image's administrator is named here.
 */
public final class DockerServers implements ServerProvider {
    private static final DockerImageName IMAGE = DockerImageName.parse("couchdb:3.5.0");
    private static final int PORT = 5984;

    @Override
    public CouchServer start() {
        GenericContainer<?> container = new GenericContainer<>(IMAGE)
                .withEnv("COUCHDB_USER", "admin")
                .withEnv("COUCHDB_PASSWORD", "admin")
                .withExposedPorts(PORT)
                .withAccessToHost(true)
                .waitingFor(Wait.forHttp("/_up").forPort(PORT).withStartupTimeout(Duration.ofMinutes(2)));
        container.start();
        return new Container(container);
    }

    private record Container(GenericContainer<?> container) implements CouchServer {
        @Override
        public URI address() {
            return URI.create("http://admin:admin@" + container.getHost() + ":" + container.getMappedPort(PORT) + "/");
        }

        @Override
        public URI addressForServers() {
            Testcontainers.exposeHostPorts(container.getMappedPort(PORT));
            return URI.create("http://admin:admin@" + GenericContainer.INTERNAL_HOST_HOSTNAME + ":"
                    + container.getMappedPort(PORT) + "/");
        }

        @Override
        public void close() {
            container.stop();
        }
    }
}
