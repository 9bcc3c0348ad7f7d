package dev.couchjobs.server.internal.jetty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A malformed request, of which one thread still returns from the parser while Jetty lets another one read on. */
@Timeout(60)
class SerialHttpTest {
    private final AtomicReference<Thread> parsing = new AtomicReference<>();
    private final CountDownLatch otherIsReading = new CountDownLatch(1);
    private final CountDownLatch otherMayRead = new CountDownLatch(1);
    private final CountDownLatch otherHasReturned = new CountDownLatch(1);

    private final Server server = new Server(new Threads());
    private final ServerConnector connector = new Endpoints(server);

    @BeforeEach
    void start() throws Exception {
        server.addConnector(connector);
        server.setHandler(new Echo());
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        otherMayRead.countDown();
        server.stop();
    }

    private static HttpConfiguration configuration() {
        HttpConfiguration configuration = new HttpConfiguration();
        // Else buffers of replies are pooled with those of requests, and it is not sure which one a request gets.
        configuration.setResponseHeaderSize(2 * configuration.getInputBufferSize());
        return configuration;
    }

    /** Holds the thread that has found a request malformed, until the one that reads on is at its buffer or back. */
    private final class Threads extends QueuedThreadPool {
        @Override
        public boolean tryExecute(Runnable task) {
            if (HttpConnection.getCurrentConnection() == null || !parsing.compareAndSet(null, Thread.currentThread())) {
                return super.tryExecute(task);
            }
            execute(task);
            await(otherIsReading);
            return true;
        }

        @Override
        public void execute(Runnable job) {
            super.execute(
                    !(job instanceof HttpConnection)
                            ? job
                            : () -> {
                                job.run();
                                otherIsReading.countDown();
                                otherHasReturned.countDown();
                            });
        }
    }

    private final class Endpoints extends ServerConnector {
        Endpoints(Server server) {
            super(server, new SerialHttp(configuration()));
        }

        @Override
        protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key) {
            return new SocketChannelEndPoint(channel, selector, key, getScheduler()) {
                @Override
                public int fill(ByteBuffer buffer) throws IOException {
                    if (parsing.get() != null
                            && parsing.get() != Thread.currentThread()
                            && otherIsReading.getCount() > 0) {
                        otherIsReading.countDown();
                        await(otherMayRead);
                    }
                    return super.fill(buffer);
                }
            };
        }
    }

    /** Replies with what it was asked. */
    private final class Echo extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            otherMayRead.countDown();
            await(otherHasReturned);
            String path = request.getHttpURI().getPath();
            Content.Sink.write(response, true, path + " " + Content.Source.asString(request), callback);
            return true;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort());
    }

    private static void send(Socket client, String text) throws IOException {
        client.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void whatFollowsAMalformedRequestIsNotReadAsAnotherClients() throws IOException {
        try (Socket malformed = connect();
                Socket good = connect()) {
            send(malformed, "GET /a\0 HTTP/1.1\r\n\r\n");
            assertThat(new String(malformed.getInputStream().readNBytes(12), StandardCharsets.ISO_8859_1))
                    .isEqualTo("HTTP/1.1 400");
            send(malformed, "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
            malformed.shutdownOutput(); // else the connection is read until its time is up
            await(otherIsReading);
            send(good, "POST /good HTTP/1.1\r\nHost: b\r\nContent-Length: 5\r\n\r\nhello");
            good.shutdownOutput();
            String replies = new String(good.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            assertThat(replies).endsWith("/good hello").doesNotContain("smuggled");
        }
    }
}
