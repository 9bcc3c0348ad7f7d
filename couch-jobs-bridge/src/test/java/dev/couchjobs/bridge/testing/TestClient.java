package dev.couchjobs.bridge.testing;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.BridgeThreads;
import dev.couchjobs.bridge.internal.couch.CouchSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;

/** Threads and an HTTP client for the parts of a bridge that tests create themselves. */
public final class TestClient {
    /** Threads that may block. They end when they are idle, and nothing closes them. */
    public static final BridgeThreads THREADS = new BridgeThreads();

    private TestClient() {}

    /** {@return the default settings for a database} */
    public static CouchSettings settings(URI address) {
        HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .executor(THREADS)
                .connectTimeout(Duration.ofSeconds(10))
                .build();
        return CouchSettings.of(address, Environment.system(), client);
    }
}
