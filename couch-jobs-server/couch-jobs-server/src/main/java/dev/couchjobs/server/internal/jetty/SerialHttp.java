package dev.couchjobs.server.internal.jetty;

import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.internal.HttpConnection;

/**
 * HTTP/1 whose connections are read by one thread at a time. Jetty answers a malformed head on a second thread and then
 * lets a third one read on, while the first still returns from the parser. The first gives the connection's buffer back
 * to the pool, and the third reads into it when it is the buffer of another client already.
 */
final class SerialHttp extends HttpConnectionFactory {
    SerialHttp(HttpConfiguration configuration) {
        super(configuration);
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint endPoint) {
        HttpConnection connection = new SerialConnection(getHttpConfiguration(), connector, endPoint);
        connection.setTransferEncodingChunkMaxLength(getTransferEncodingChunkMaxLength());
        return configure(connection, connector, endPoint);
    }

    private static final class SerialConnection extends HttpConnection {
        /** Of {@code onFillable}: the one that runs, and those that it still has to do. */
        private final AtomicInteger calls = new AtomicInteger();

        SerialConnection(HttpConfiguration configuration, Connector connector, EndPoint endPoint) {
            super(configuration, connector, endPoint);
        }

        @Override
        public void onFillable() {
            if (calls.getAndIncrement() > 0) {
                return;
            }
            do {
                super.onFillable();
            } while (calls.decrementAndGet() > 0);
        }

        @Override
        protected HttpStreamOverHTTP1 newHttpStream(String method, String uri, HttpVersion version) {
            return new PatientStream(method, uri, version);
        }

        /** A stream that has not been read to its end closes the connection when the client has sent the rest. */
        private final class PatientStream extends HttpStreamOverHTTP1 {
            PatientStream(String method, String uri, HttpVersion version) {
                super(method, uri, version);
            }

            @Override
            public void succeeded() {
                afterTheRest(super::succeeded);
            }

            @Override
            public void failed(Throwable error) {
                afterTheRest(() -> super.failed(error));
            }

            private void afterTheRest(Runnable end) {
                if (getEndPoint().isOutputShutdown() && !getParser().isState(HttpParser.State.END)) {
                    new UnreadInput(getEndPoint(), getConnector().getScheduler(), end).read();
                } else {
                    end.run();
                }
            }
        }
    }
}
