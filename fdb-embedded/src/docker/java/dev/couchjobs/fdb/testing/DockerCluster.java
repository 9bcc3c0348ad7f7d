package dev.couchjobs.fdb.testing;

import dev.couchjobs.fdb.docker.FoundationDbContainer;
import java.nio.file.Path;

/** A cluster in a container, which Testcontainers removes when this JVM has ended. */
public final class DockerCluster implements ClusterProvider {
    @Override
    @SuppressWarnings("resource") // It serves whoever comes.
    public Path start() {
        FoundationDbContainer container = new FoundationDbContainer();
        container.start();
        return container.clusterFile();
    }
}
