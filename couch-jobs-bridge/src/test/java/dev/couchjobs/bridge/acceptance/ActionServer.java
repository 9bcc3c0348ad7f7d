package dev.couchjobs.bridge.acceptance;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * An HTTP server for actions. It holds each request until the test answers it. So the test knows that an action runs,
 * how often it has run, and when it ends, in any process.
 */
final class ActionServer implements AutoCloseable {
    private final HttpServer server;
    private final BlockingQueue<Visit> unanswered = new LinkedBlockingQueue<>();
    private final List<String> visits = new ArrayList<>();

    ActionServer() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::enter);
        server.start();
    }

    private void enter(HttpExchange exchange) {
        synchronized (visits) {
            visits.add(exchange.getRequestURI().getPath());
        }
        unanswered.add(new Visit(exchange));
    }

    /** A held action. */
    record Visit(HttpExchange exchange) {
        String path() {
            return exchange.getRequestURI().getPath();
        }

        /** Lets the action succeed. Its process may have ended. */
        void answer() {
            try {
                exchange.sendResponseHeaders(204, -1);
            } catch (IOException e) {
                // The process was killed, as the test intends.
            }
            exchange.close();
        }
    }

    /** {@return its address} */
    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    }

    /** {@return the next action, held} */
    Visit next() {
        try {
            Visit visit = unanswered.poll(90, TimeUnit.SECONDS);
            if (visit == null) {
                throw new AssertionError("No action came by");
            }
            return visit;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("Interrupted while waiting for an action", e);
        }
    }

    /** {@return the next action, which must have the given path, held} */
    Visit next(String path) {
        Visit visit = next();
        if (!visit.path().equals(path)) {
            throw new AssertionError("Came by: " + visit.path());
        }
        return visit;
    }

    /** {@return how often an action has been requested} */
    long visits(String path) {
        synchronized (visits) {
            return visits.stream().filter(path::equals).count();
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
