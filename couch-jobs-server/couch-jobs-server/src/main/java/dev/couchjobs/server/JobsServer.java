package dev.couchjobs.server;

import dev.couchjobs.server.internal.dispatch.ApiServlet;
import dev.couchjobs.server.internal.jetty.JettyServer;
import dev.couchjobs.server.internal.jetty.NetSettings;
import java.net.URI;
import java.time.Duration;

/** A server of the API, of its own. Safe for use by several threads. */
public final class JobsServer implements AutoCloseable {
    private static final Duration CERTIFICATES_CHECKED_EACH = Duration.ofMinutes(1);

    private final JettyServer server;
    private final ApiServlet servlet;
    private final String host;

    private JobsServer(JettyServer server, ApiServlet servlet, String host) {
        this.server = server;
        this.servlet = servlet;
        this.host = host;
    }

    /**
     * Starts a server.
     *
     * @param http the API
     * @param host the address to listen on, such as {@code 127.0.0.1}
     * @param port the port; 0 for any that is free
     * @return the server, to be closed
     * @throws IllegalArgumentException if other machines could reach it, which needs TLS and tokens
     * @throws IllegalStateException if it cannot listen there
     */
    public static JobsServer start(JobsHttp http, String host, int port) {
        return start(http, ServerOptions.on(host, port));
    }

    /**
     * Starts a server.
     *
     * @param http the API
     * @param options where and how it listens
     * @return the server, to be closed
     * @throws IllegalArgumentException if its certificates cannot be used, or if other machines could reach it and it
     *     has no TLS, or an authenticator that lets every caller in
     * @throws IllegalStateException if it cannot listen there
     */
    public static JobsServer start(JobsHttp http, ServerOptions options) {
        return start(http, options, CERTIFICATES_CHECKED_EACH);
    }

    static JobsServer start(JobsHttp http, ServerOptions options, Duration certificatesCheckedEach) {
        NetSettings settings = options.settings();
        settings.requireSafe(http.knowsCallers());
        ApiServlet servlet = http.apiServlet();
        return new JobsServer(
                JettyServer.start(servlet, settings, certificatesCheckedEach),
                servlet,
                settings.host().isEmpty() ? "localhost" : settings.host());
    }

    /** {@return where the server listens} */
    public URI address() {
        return URI.create((server.isSecure() ? "https://" : "http://") + (host.contains(":") ? "[" + host + "]" : host)
                + ":" + server.port() + "/");
    }

    /** Ends feeds and requests that wait, stops listening, and waits up to ten seconds for the others. */
    @Override
    public void close() {
        servlet.endWaiting();
        server.stop();
    }
}
