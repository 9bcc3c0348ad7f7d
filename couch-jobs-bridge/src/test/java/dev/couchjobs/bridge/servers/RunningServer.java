package dev.couchjobs.bridge.servers;

import java.net.URI;

/** A server that was not started by the test, and continues after it. */
record RunningServer(URI address) implements CouchServer {
    static RunningServer at(String url) {
        return new RunningServer(URI.create(url.endsWith("/") ? url : url + "/"));
    }

    @Override
    public void close() {
        // The test has not started it.
    }
}
