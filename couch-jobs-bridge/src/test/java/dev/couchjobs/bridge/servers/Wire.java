package dev.couchjobs.bridge.servers;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A proxy in front of a server that can interrupt connections in two ways. A client that is to be interrupted connects
 * to the proxy instead of the server.
 */
public final class Wire implements AutoCloseable {
    private enum State {
        /** All bytes are forwarded. */
        JOINED,
        /** Connections are closed as soon as they are opened. */
        REFUSING,
        /** Connections are kept, and nothing is forwarded. */
        SILENT
    }

    private final URI server;
    private final ServerSocket listening;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "wire");
        thread.setDaemon(true);
        return thread;
    });
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private State state = State.JOINED;
    private long answersPassOn = Long.MAX_VALUE;
    private int held;

    /**
     * Creates a proxy that forwards.
     *
     * @param server the server's address; its name and password are kept
     */
    public Wire(URI server) {
        this.server = server;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::accept);
    }

    /** {@return the address of the server, or of a path on it, through this proxy} */
    public URI through(URI address) {
        return URI.create(address.toString()
                .replace(server.getHost() + ":" + server.getPort(), "127.0.0.1:" + listening.getLocalPort()));
    }

    /** Closes all connections, and refuses new ones. */
    public void cut() {
        become(State.REFUSING);
        closeAll();
    }

    /** Forwards nothing from now on; the connections seem to be open. */
    public void fallSilent() {
        become(State.SILENT);
    }

    /** Waits until this holds back what a client has sent, so that {@link #join} drops it. */
    public synchronized void awaitHeld() throws InterruptedException {
        while (held == 0) {
            wait();
        }
    }

    /** Forwards new connections again, and closes those from before the interruption. */
    public void join() {
        closeAll();
        become(State.JOINED);
    }

    /** Closes all connections after the server has sent so many bytes more, at any point of an answer. */
    public synchronized void cutAfter(long bytes) {
        answersPassOn = bytes;
    }

    private synchronized void become(State next) {
        state = next;
        answersPassOn = Long.MAX_VALUE;
        notifyAll();
    }

    /** A cut also closes the connections that were accepted before it. */
    private synchronized boolean isTaken(Socket client) {
        return state != State.REFUSING && open.add(client);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                if (isTaken(client)) {
                    threads.execute(() -> connect(client));
                } else {
                    client.close();
                }
            } catch (IOException e) {
                // The proxy is closed, or the client has closed its connection.
            }
        }
    }

    private void connect(Socket client) {
        Socket target = new Socket();
        open.add(target);
        try {
            target.connect(new InetSocketAddress(server.getHost(), server.getPort()));
            threads.execute(() -> pump(client, target, false));
            pump(target, client, true);
        } catch (IOException e) {
            close(client);
            close(target);
        }
    }

    private void pump(Socket from, Socket to, boolean isAnswer) {
        byte[] buffer = new byte[8192];
        try {
            for (int read = from.getInputStream().read(buffer);
                    read >= 0;
                    read = from.getInputStream().read(buffer)) {
                if (!mayPass(from)) {
                    break;
                }
                int passed = isAnswer ? passedOn(read) : read;
                to.getOutputStream().write(buffer, 0, passed);
                if (passed < read) {
                    break;
                }
            }
        } catch (IOException | InterruptedException e) {
            // The other side learns of the end through its own connection.
        } finally {
            close(from);
            close(to);
        }
    }

    /** Waits while nothing is forwarded. {@return whether the connection is still open} */
    private synchronized boolean mayPass(Socket from) throws InterruptedException {
        held++;
        notifyAll();
        while (state == State.SILENT && !from.isClosed()) {
            wait();
        }
        held--;
        return !from.isClosed();
    }

    private synchronized int passedOn(int read) {
        if (answersPassOn == Long.MAX_VALUE) {
            return read;
        }
        int passed = (int) Math.min(read, answersPassOn);
        answersPassOn = passed < read ? Long.MAX_VALUE : answersPassOn - passed;
        return passed;
    }

    private void closeAll() {
        open.forEach(this::close);
    }

    private void close(Closeable socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The connection is closed, as intended.
        }
        open.remove(socket);
        synchronized (this) {
            notifyAll();
        }
    }

    @Override
    public void close() {
        close(listening);
        closeAll();
        threads.shutdownNow();
    }
}
