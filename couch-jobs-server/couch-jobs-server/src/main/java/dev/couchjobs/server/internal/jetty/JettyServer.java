package dev.couchjobs.server.internal.jetty;

import jakarta.servlet.http.HttpServlet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http2.HTTP2Cipher;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A servlet in Jetty. */
public final class JettyServer {
    private static final int THREADS_MAX = 64;
    /** How many connections the system keeps until they are accepted; of more the clients try again after a second. */
    private static final int ACCEPT_QUEUE = 1_024;

    private static final Duration GRACE = Duration.ofSeconds(10);
    /** How long connections without a request stay open when the server stops. Requests that run are not cut. */
    private static final Duration IDLE_AT_STOP = Duration.ofMillis(100);

    /** A job's id may contain what else would be a separator, a dot segment, empty or a control character. */
    private static final UriCompliance PATHS =
            UriCompliance.from("DEFAULT,AMBIGUOUS_PATH_SEPARATOR,AMBIGUOUS_PATH_SEGMENT,AMBIGUOUS_PATH_ENCODING,"
                    + "AMBIGUOUS_EMPTY_SEGMENT,AMBIGUOUS_PATH_PARAMETER,SUSPICIOUS_PATH_CHARACTERS");

    private final NetSettings settings;
    private final Server server;
    private final ServerConnector connector;

    private JettyServer(NetSettings settings, Server server, ServerConnector connector) {
        this.settings = settings;
        this.server = server;
        this.connector = connector;
    }

    /**
     * Starts a server.
     *
     * @param certificatesCheckedEach how often it looks whether its certificates have changed
     * @throws IllegalArgumentException if its certificates cannot be used
     * @throws IllegalStateException if it cannot listen there
     */
    public static JettyServer start(HttpServlet servlet, NetSettings settings, Duration certificatesCheckedEach) {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS_MAX);
        threads.setName("couch-jobs-http");
        Server server = new Server(threads);
        Optional<SslContextFactory.Server> tls = settings.tls().map(JettyServer::tls);
        ServerConnector connector = new ServerConnector(server, protocols(settings, tls));
        if (!settings.host().isEmpty()) {
            connector.setHost(settings.host());
        }
        connector.setPort(settings.port());
        connector.setIdleTimeout(settings.idleTime().toMillis());
        connector.setShutdownIdleTimeout(IDLE_AT_STOP.toMillis());
        connector.setAcceptQueueSize(ACCEPT_QUEUE);
        server.addConnector(connector);
        server.addBean(new NetworkConnectionLimit(settings.connections(), connector));
        Handler handler = new ConnectionHandler(context(servlet, settings));
        server.setHandler(HostCheck.isNeeded(settings) ? new HostCheck(handler, settings) : handler);
        server.setErrorHandler(new ProblemErrors());
        server.setStopTimeout(GRACE.toMillis());
        try {
            server.start();
        } catch (Exception e) { // Jetty declares no less
            throw new IllegalStateException(
                    "The server cannot listen on " + settings.host() + ":" + settings.port() + ": " + e.getMessage()
                            + ". Choose another port, or end what listens there.",
                    e);
        }
        new SlowRequests(connector, settings.transferTime()).start();
        tls.ifPresent(factory -> new TlsReload(
                        settings.tls().orElseThrow(), factory, connector.getScheduler(), certificatesCheckedEach)
                .start());
        return new JettyServer(settings, server, connector);
    }

    private static ConnectionFactory[] protocols(NetSettings settings, Optional<SslContextFactory.Server> tls) {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setUriCompliance(PATHS);
        configuration.setHeaderCacheCaseSensitive(true); // else it changes the media types of payloads
        configuration.setRequestHeaderSize(settings.headerBytes());
        HttpConnectionFactory http = new SerialHttp(configuration);
        List<ConnectionFactory> protocols = new ArrayList<>();
        if (tls.isEmpty()) {
            protocols.add(http);
            protocols.add(new HTTP2CServerConnectionFactory(configuration));
        } else {
            // Which names are served is for HostCheck to say, and not for the certificate.
            configuration.addCustomizer(new SecureRequestCustomizer(false));
            ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory();
            alpn.setDefaultProtocol(HttpVersion.HTTP_1_1.asString());
            protocols.add(new SslConnectionFactory(tls.get(), alpn.getProtocol()));
            protocols.add(alpn);
            protocols.add(new HTTP2ServerConnectionFactory(configuration));
            protocols.add(http);
        }
        return protocols.toArray(ConnectionFactory[]::new);
    }

    private static SslContextFactory.Server tls(NetSettings.Tls files) {
        SslContextFactory.Server factory = new SslContextFactory.Server();
        factory.setKeyStore(PemFiles.load(files));
        factory.setKeyStorePassword(PemFiles.PASSWORD);
        factory.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        factory.setCipherComparator(HTTP2Cipher.COMPARATOR);
        return factory;
    }

    private static ServletContextHandler context(HttpServlet servlet, NetSettings settings) {
        ServletContextHandler context = new ServletContextHandler();
        context.getServletHandler().setDecodeAmbiguousURIs(true);
        context.setErrorHandler(new ProblemErrors());
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        holder.setInitOrder(0);
        holder.setInitParameter("transferTime", settings.transferTime().toString());
        context.addServlet(holder, "/*");
        return context;
    }

    public int port() {
        return connector.getLocalPort();
    }

    public boolean isSecure() {
        return settings.tls().isPresent();
    }

    /** Stops listening, and waits up to ten seconds for the requests that are being served. */
    public void stop() {
        try {
            server.stop();
        } catch (Exception e) { // Jetty declares no less
            throw new IllegalStateException(
                    "The server has not stopped. These connections are left: " + connector.getConnectedEndPoints(), e);
        }
    }
}
