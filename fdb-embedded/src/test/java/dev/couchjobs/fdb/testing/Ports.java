package dev.couchjobs.fdb.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/**
 * Ports of this machine on which nothing listens. They are below those that a system gives to whoever asks for any
 * port, from 32,768 on Linux and from 49,152 elsewhere: no other test that runs at the same time is given one of them.
 */
public final class Ports {
    private static final int FIRST = 12_000;
    private static final int COUNT = 20_000;
    /** How far the processes of a build, whose numbers follow each other, begin from one another. */
    private static final int STEP = 127;

    private static int next = (int) (ProcessHandle.current().pid() * STEP % COUNT);

    private Ports() {}

    /** {@return a port that no other call of this process has returned lately} */
    public static synchronized int free() {
        for (int tried = 0; tried < COUNT; tried++) {
            int port = FIRST + next;
            next = (next + 1) % COUNT;
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("Each port from " + FIRST + " is in use.");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
