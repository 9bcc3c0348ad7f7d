package dev.couchjobs.server.internal.jetty;

import dev.couchjobs.server.internal.http.ServerEnvironment;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.NegotiatingServerConnection;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.NanoTime;

/**
 * Closes connections on which the head of a request, or TLS's handshake, takes too long. Jetty limits only the time
 * without a byte, so that a client could hold a connection with a byte now and then. Bodies are limited where they are
 * read.
 */
final class SlowRequests {
    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(1);

    private static final InstantSource CLOCK = ServerEnvironment.clock();

    private final AbstractConnector connector;
    private final Duration limit;

    SlowRequests(AbstractConnector connector, Duration limit) {
        this.connector = connector;
        this.limit = limit;
    }

    void start() {
        next();
    }

    private void next() {
        if (connector.isRunning()) {
            long millis = Math.min(LONGEST_INTERVAL.toMillis(), limit.toMillis());
            connector.getScheduler().schedule(this::check, millis, TimeUnit.MILLISECONDS);
        }
    }

    private void check() {
        for (EndPoint endPoint : connector.getConnectedEndPoints()) {
            if (isSlow(endPoint)) {
                endPoint.close(new TimeoutException("The head of a request took too long."));
            }
        }
        next();
    }

    private boolean isSlow(EndPoint endPoint) {
        Connection connection = endPoint.getConnection();
        if (connection instanceof SslConnection ssl) {
            connection = ssl.getSslEndPoint().getConnection();
        }
        if (connection instanceof HttpConnection http) {
            HttpParser parser = http.getParser();
            return parser.inHeaderState()
                    && !parser.isStart()
                    && NanoTime.since(parser.getBeginNanoTime()) > limit.toNanos();
        }
        return connection instanceof NegotiatingServerConnection negotiating
                && CLOCK.millis() - negotiating.getCreatedTimeStamp() > limit.toMillis();
    }
}
