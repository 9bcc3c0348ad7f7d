package dev.couchjobs.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Ports of this machine for servers that are started next. */
public final class FreePorts {
    private FreePorts() {}

    /**
     * {@return a port that is free}
     *
     * @throws IOException if there is none
     */
    public static int one() throws IOException {
        return of(1).get(0);
    }

    /**
     * {@return ports that are free at the same time}
     *
     * @param count how many
     * @throws IOException if there are not as many
     */
    public static List<Integer> of(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }
}
