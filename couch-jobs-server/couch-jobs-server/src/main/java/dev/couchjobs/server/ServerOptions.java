package dev.couchjobs.server;

import dev.couchjobs.server.internal.jetty.NetSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Where and how a {@link JobsServer} listens. Immutable. */
public final class ServerOptions {
    private final NetSettings settings;

    private ServerOptions(NetSettings settings) {
        this.settings = settings;
    }

    /**
     * {@return options to listen on an address}
     *
     * @param host the address, such as {@code 127.0.0.1}; empty for all of this machine
     * @param port the port; 0 for any that is free
     * @throws IllegalArgumentException if there is no such port
     */
    public static ServerOptions on(String host, int port) {
        return new ServerOptions(NetSettings.on(Objects.requireNonNull(host, "host"), port));
    }

    /**
     * Names by which clients may address the server, besides those of the loopback. On the loopback it refuses all
     * other names; elsewhere it does so if there are any.
     *
     * @param names host names, without ports
     * @return the options with these names
     */
    public ServerOptions names(String... names) {
        return new ServerOptions(settings.withNames(List.of(names)));
    }

    /**
     * Serves by TLS 1.2 and 1.3, with HTTP/2 for clients that have it. The files are looked at once a minute, and read
     * again when they have changed.
     *
     * @param certificates the server's certificate and those that lead to an authority, in PEM
     * @param key its private key, RSA or EC in PKCS #8, in PEM
     * @return the options with TLS
     */
    public ServerOptions tls(Path certificates, Path key) {
        return new ServerOptions(settings.withTls(new NetSettings.Tls(certificates, key)));
    }

    /**
     * Limits the open connections; more wait. By default 10,000.
     *
     * @param max how many, at least 1
     * @return the options with this limit
     * @throws IllegalArgumentException if the number is too small
     */
    public ServerOptions connections(int max) {
        return new ServerOptions(settings.withConnections(max));
    }

    /**
     * Limits the line and the headers of a request; beyond it the reply is 431 or 414. By default 8 KiB.
     *
     * @param max how many bytes, at least 1024
     * @return the options with this limit
     * @throws IllegalArgumentException if the number is too small
     */
    public ServerOptions headerBytes(int max) {
        return new ServerOptions(settings.withHeaderBytes(max));
    }

    /**
     * Limits how long clients take.
     *
     * @param idle how long a connection may be silent while the server waits for the client; by default 30 seconds
     * @param transfer how long a request may take to arrive, and a reply to be taken; by default a minute
     * @return the options with these limits
     * @throws IllegalArgumentException if a time is less than a millisecond
     */
    public ServerOptions times(Duration idle, Duration transfer) {
        return new ServerOptions(settings.withTimes(idle, transfer));
    }

    NetSettings settings() {
        return settings;
    }
}
