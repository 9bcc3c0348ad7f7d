package dev.couchjobs.fdb.docker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/** Where a server in a container is reached, from the host and from within: the same port on either side. */
record PublicAddress(String ip, int port) {
    private static final String LOOPBACK = "127.0.0.1";

    /**
     * Chooses a port that is free. It stays free until the container takes it, unless another process takes it first.
     *
     * @param dockerHost the host at which containers' ports are reached
     */
    static PublicAddress choose(String dockerHost) {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new PublicAddress(ip(dockerHost), socket.getLocalPort());
        } catch (IOException e) {
            throw new UncheckedIOException("No address for a FoundationDB in a container of " + dockerHost, e);
        }
    }

    /** {@return the address in digits} What servers announce is no name. */
    static String ip(String host) throws UnknownHostException {
        List<InetAddress> addresses = Arrays.asList(InetAddress.getAllByName(host));
        if (addresses.stream().anyMatch(InetAddress::isLoopbackAddress)) {
            return LOOPBACK;
        }
        return addresses.stream()
                .filter(Inet4Address.class::isInstance)
                .findFirst()
                .orElseThrow(() -> new UnknownHostException(host + " has no IPv4 address"))
                .getHostAddress();
    }

    /** {@return the line of a cluster file whose one coordinator is here} */
    String clusterFile() {
        return "test:container@" + ip + ":" + port;
    }

    /** {@return what Docker publishes} On this machine no other host can reach it. */
    String publication() {
        String published = port + ":" + port;
        return ip.equals(LOOPBACK) ? LOOPBACK + ":" + published : published;
    }
}
