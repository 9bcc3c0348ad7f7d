package dev.couchjobs.examples;

import dev.couchjobs.server.JobsHttp;
import dev.couchjobs.server.JobsServer;
import java.net.URI;

/** Shows the jobs of a run in the browsers of this machine, which cannot change them. */
final class RunDashboard implements AutoCloseable {
    private static final String HOST = "127.0.0.1";
    private static final int PORT = 7470;
    private static final int ANY_PORT = 0;

    private final JobsServer server;

    private RunDashboard(JobsServer server) {
        this.server = server;
    }

    /** {@return the dashboard of a playground's jobs} It listens on the usual port, or on another if that is taken. */
    static RunDashboard of(Playground playground) {
        JobsHttp http = JobsHttp.on(playground.jobs(), playground.database()).subspace(playground.data("server"));
        try {
            return new RunDashboard(JobsServer.start(http, HOST, PORT));
        } catch (IllegalStateException taken) {
            return new RunDashboard(JobsServer.start(http, HOST, ANY_PORT));
        }
    }

    URI address() {
        return server.address();
    }

    @Override
    public void close() {
        server.close();
    }
}
