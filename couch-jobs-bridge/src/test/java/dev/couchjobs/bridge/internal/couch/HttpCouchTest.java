package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.bridge.servers.CouchServers;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The contract on real servers, over HTTP. */
class HttpCouchTest extends CouchContract {
    @TempDir
    private static Path directory;

    private static CouchServers servers;

    @BeforeAll
    static void start() {
        servers = new CouchServers(2, directory);
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @Override
    protected CouchFixture fixture() {
        return new HttpCouchFixture(servers);
    }
}
