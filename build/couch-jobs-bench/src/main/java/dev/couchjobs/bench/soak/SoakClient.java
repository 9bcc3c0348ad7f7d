package dev.couchjobs.bench.soak;

import dev.couchjobs.bench.server.HttpConnection;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client of one thread, which repeats what got no reply, at the next server if there are several. */
final class SoakClient implements AutoCloseable {
    private static final int MILLIS_TO_CONNECT_AGAIN = 50;
    /** What the server's {@code Retry-After} says. */
    private static final int MILLIS_TO_ASK_AGAIN = 1_000;

    private static final int CONFLICT = 409;
    private static final int TOO_MANY = 429;
    private static final int SERVER_ERROR = 500;

    private final List<Integer> ports;
    private int next;
    private @Nullable HttpConnection connection;

    /** Begins at one of the servers. */
    SoakClient(List<Integer> ports, int first) {
        this.ports = ports;
        next = first;
    }

    /** {@return the reply; empty if it was 409} */
    Optional<String> send(byte[] request) throws InterruptedException {
        return send(request, request);
    }

    /** As above; sends another request if it has to repeat the first one. */
    Optional<String> send(byte[] first, byte[] repeated) throws InterruptedException {
        byte[] request = first;
        while (true) {
            try {
                return Optional.of(connected().send(request));
            } catch (HttpConnection.RefusedException e) {
                if (e.status() == CONFLICT) {
                    return Optional.empty();
                }
                if (e.status() < SERVER_ERROR && e.status() != TOO_MANY) {
                    throw new IllegalStateException(e);
                }
                TimeUnit.MILLISECONDS.sleep(MILLIS_TO_ASK_AGAIN);
            } catch (IOException e) {
                close();
                TimeUnit.MILLISECONDS.sleep(MILLIS_TO_CONNECT_AGAIN);
            }
            request = repeated;
        }
    }

    private HttpConnection connected() throws IOException {
        HttpConnection open = connection;
        if (open == null) {
            open = new HttpConnection(ports.get(next++ % ports.size()));
            connection = open;
        }
        return open;
    }

    @Override
    public void close() {
        HttpConnection closed = connection;
        connection = null;
        if (closed != null) {
            try {
                closed.close();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
