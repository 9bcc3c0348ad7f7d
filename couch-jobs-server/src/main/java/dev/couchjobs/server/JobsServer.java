package dev.couchjobs.server;

import dev.couchjobs.server.internal.dispatch.ApiServlet;
import dev.couchjobs.server.internal.jetty.ConnectionHandler;
import jakarta.servlet.http.HttpServlet;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A server of the API, of its own. Safe for use by several threads. */
public final class JobsServer implements AutoCloseable {
    private static final int THREADS_MAX = 64;
    private static final Duration IDLE = Duration.ofSeconds(60);
    private static final Duration GRACE = Duration.ofSeconds(10);

    /** A job's id may contain what else would be a separator, a dot segment, empty or a control character. */
    private static final UriCompliance PATHS = UriCompliance.from("DEFAULT,AMBIGUOUS_PATH_SEPARATOR,"
            + "AMBIGUOUS_PATH_SEGMENT,AMBIGUOUS_PATH_ENCODING,AMBIGUOUS_EMPTY_SEGMENT,AMBIGUOUS_PATH_PARAMETER,"
            + "SUSPICIOUS_PATH_CHARACTERS");

    private final Server server;
    private final ServerConnector connector;
    private final ApiServlet servlet;

    private JobsServer(Server server, ServerConnector connector, ApiServlet servlet) {
        this.server = server;
        this.servlet = servlet;
        this.connector = connector;
    }

    /**
     * Starts a server.
     *
     * @param http the API
     * @param host the address to listen on, such as {@code 127.0.0.1}
     * @param port the port; 0 for any that is free
     * @return the server, to be closed
     * @throws IllegalStateException if it cannot listen there
     */
    public static JobsServer start(JobsHttp http, String host, int port) {
        Objects.requireNonNull(host, "host");
        QueuedThreadPool threads = new QueuedThreadPool(THREADS_MAX);
        threads.setName("couch-jobs-http");
        Server server = new Server(threads);
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setUriCompliance(PATHS);
        ServerConnector connector = new ServerConnector(
                server, new HttpConnectionFactory(configuration), new HTTP2CServerConnectionFactory(configuration));
        connector.setHost(host);
        connector.setPort(port);
        connector.setIdleTimeout(IDLE.toMillis());
        server.addConnector(connector);
        ApiServlet servlet = http.apiServlet();
        server.setHandler(new ConnectionHandler(context(servlet)));
        server.setStopTimeout(GRACE.toMillis());
        try {
            server.start();
        } catch (Exception e) {
            throw new IllegalStateException(
                    "The server cannot listen on " + host + ":" + port + ": " + e.getMessage()
                            + ". Choose another port, or end what listens there.",
                    e);
        }
        return new JobsServer(server, connector, servlet);
    }

    private static ServletContextHandler context(HttpServlet servlet) {
        ServletContextHandler context = new ServletContextHandler();
        context.getServletHandler().setDecodeAmbiguousURIs(true);
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        holder.setInitOrder(0);
        context.addServlet(holder, "/*");
        return context;
    }

    /** {@return where the server listens} */
    public URI address() {
        String host = connector.getHost();
        return URI.create(
                "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + connector.getLocalPort() + "/");
    }

    /** Ends feeds and requests that wait, stops listening, and waits up to ten seconds for the others. */
    @Override
    public void close() {
        servlet.endWaiting();
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("The server has not stopped.", e);
        }
    }
}
