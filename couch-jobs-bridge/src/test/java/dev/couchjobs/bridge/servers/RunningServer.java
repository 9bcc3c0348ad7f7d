package dev.couchjobs.bridge.servers;

import java.net.URI;

/** A server that runs anyway, and goes on when the test is over. */
record RunningServer(URI address) implements CouchServer {
    static RunningServer at(String url) {
        return new RunningServer(URI.create(url.endsWith("/") ? url : url + "/"));
    }

    @Override
    public void close() {
        // Somebody else started it.
    }
}
