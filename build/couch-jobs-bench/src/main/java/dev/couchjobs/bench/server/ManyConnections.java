package dev.couchjobs.bench.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Many connections, read by one thread, which counts what occurs in the replies. */
final class ManyConnections implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final Selector selector = Selector.open();
    private final List<Connection> connections = new ArrayList<>();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);

    /**
     * Opens connections, as many as this process may have.
     *
     * @param marker what is counted; its first letter occurs once in it
     */
    ManyConnections(int port, int wanted, String marker) throws IOException {
        try {
            while (connections.size() < wanted) {
                SocketChannel channel =
                        SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                channel.configureBlocking(false);
                Connection connection = new Connection(channel, marker.getBytes(StandardCharsets.US_ASCII));
                channel.register(selector, SelectionKey.OP_READ, connection);
                connections.add(connection);
            }
        } catch (SocketException e) {
            System.out.printf("Only %d of %d connections: %s%n", connections.size(), wanted, e.getMessage());
        }
    }

    private static final class Connection {
        final SocketChannel channel;
        final byte[] marker;
        boolean isHeard;
        int matched;
        int count;

        Connection(SocketChannel channel, byte[] marker) {
            this.channel = channel;
            this.marker = marker;
        }

        int read(ByteBuffer buffer) throws IOException {
            int before = count;
            buffer.clear();
            if (channel.read(buffer) < 0) {
                throw new IOException("The server has closed a connection.");
            }
            buffer.flip();
            isHeard = true;
            while (buffer.hasRemaining()) {
                byte letter = buffer.get();
                matched = letter == marker[matched] ? matched + 1 : letter == marker[0] ? 1 : 0;
                if (matched == marker.length) {
                    count++;
                    matched = 0;
                }
            }
            return count - before;
        }
    }

    int size() {
        return connections.size();
    }

    void send(IntFunction<byte[]> request) throws IOException {
        for (int i = 0; i < connections.size(); i++) {
            ByteBuffer bytes = ByteBuffer.wrap(request.apply(i));
            while (bytes.hasRemaining()) {
                connections.get(i).channel.write(bytes);
            }
        }
    }

    /** Reads until the markers of all connections together are as many. */
    void await(long all) throws IOException {
        long count =
                connections.stream().mapToLong(connection -> connection.count).sum();
        while (count < all) {
            count += read();
        }
    }

    /** Reads until the server has written to each connection. */
    void awaitFirstByte() throws IOException {
        while (!connections.stream().allMatch(connection -> connection.isHeard)) {
            read();
        }
    }

    private int read() throws IOException {
        int count = 0;
        selector.select();
        for (SelectionKey key : selector.selectedKeys()) {
            count += ((Connection) key.attachment()).read(buffer);
        }
        selector.selectedKeys().clear();
        return count;
    }

    /** {@return the least and the most that one connection has counted} */
    int[] extremes() {
        return new int[] {
            connections.stream().mapToInt(connection -> connection.count).min().orElse(0),
            connections.stream().mapToInt(connection -> connection.count).max().orElse(0)
        };
    }

    @Override
    public void close() throws IOException {
        for (Connection connection : connections) {
            connection.channel.close();
        }
        selector.close();
    }
}
