package dev.couchjobs.server.internal.jetty;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How a server listens.
 *
 * @param names the names by which clients may address it, besides those of the loopback
 * @param tls its certificates, or empty for none
 * @param connections how many may be open at once
 * @param headerBytes how large the head of a request may be
 * @param idleTime how long a connection may be silent
 * @param transferTime how long a request may take to arrive, and a reply to be taken
 */
public record NetSettings(
        String host,
        int port,
        List<String> names,
        Optional<Tls> tls,
        int connections,
        int headerBytes,
        Duration idleTime,
        Duration transferTime) {
    public static final int CONNECTIONS = 10_000;
    public static final int HEADER_BYTES = 8 * 1024;
    public static final int HEADER_BYTES_MIN = 1024;
    public static final Duration IDLE_TIME = Duration.ofSeconds(30);
    public static final Duration TRANSFER_TIME = Duration.ofMinutes(1);
    private static final int PORT_MAX = 65_535;

    /**
     * The files for TLS.
     *
     * @param certificates the certificate and those that lead to an authority, in PEM
     * @param key the private key, in PEM
     */
    public record Tls(Path certificates, Path key) {}

    public NetSettings {
        names = List.copyOf(names);
        if (port < 0 || port > PORT_MAX) {
            throw new IllegalArgumentException("A port is from 0 to " + PORT_MAX + ", not " + port + ".");
        }
        if (connections < 1) {
            throw new IllegalArgumentException("A server needs at least one connection, not " + connections + ".");
        }
        if (headerBytes < HEADER_BYTES_MIN) {
            throw new IllegalArgumentException(
                    "The head of a request has at least " + HEADER_BYTES_MIN + " bytes, not " + headerBytes + ".");
        }
        if (idleTime.toMillis() < 1 || transferTime.toMillis() < 1) {
            throw new IllegalArgumentException("A time limit is at least a millisecond.");
        }
    }

    public static NetSettings on(String host, int port) {
        return new NetSettings(
                host, port, List.of(), Optional.empty(), CONNECTIONS, HEADER_BYTES, IDLE_TIME, TRANSFER_TIME);
    }

    public NetSettings withNames(List<String> newNames) {
        return new NetSettings(host, port, newNames, tls, connections, headerBytes, idleTime, transferTime);
    }

    public NetSettings withTls(Tls newTls) {
        return new NetSettings(
                host, port, names, Optional.of(newTls), connections, headerBytes, idleTime, transferTime);
    }

    public NetSettings withConnections(int newMax) {
        return new NetSettings(host, port, names, tls, newMax, headerBytes, idleTime, transferTime);
    }

    public NetSettings withHeaderBytes(int newMax) {
        return new NetSettings(host, port, names, tls, connections, newMax, idleTime, transferTime);
    }

    public NetSettings withTimes(Duration newIdleTime, Duration newTransferTime) {
        return new NetSettings(host, port, names, tls, connections, headerBytes, newIdleTime, newTransferTime);
    }

    boolean isOnLoopback() {
        try {
            return !host.isEmpty() && InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /**
     * Refuses a server that strangers could use or overhear.
     *
     * @param knowsCallers whether it asks callers who they are
     * @throws IllegalArgumentException if it would listen for other machines without TLS, or let in everyone there
     */
    public void requireSafe(boolean knowsCallers) {
        if (isOnLoopback() || (tls.isPresent() && knowsCallers)) {
            return;
        }
        StringBuilder missing = new StringBuilder();
        if (tls.isEmpty()) {
            missing.append(
                    " Add TLS: --tls-certificates FILE and --tls-key FILE, or certificates and key in [tls] of the"
                            + " configuration.");
        }
        if (!knowsCallers) {
            missing.append(" Require tokens: --tokens, or tokens = true in the configuration; `couch-jobs token"
                    + " add` creates the first.");
        }
        throw new IllegalArgumentException("Other machines can reach " + (host.isEmpty() ? "all addresses" : host)
                + ", where the server listens only with TLS and tokens." + missing
                + " Or listen on 127.0.0.1, for this machine only.");
    }
}
