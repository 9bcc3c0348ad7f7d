package dev.couchjobs.bridge.servers;

import java.net.URI;

/** A CouchDB server for tests. */
public interface CouchServer extends AutoCloseable {

    /** {@return the server's root, with a slash at its end, and with name and password if it requires them} */
    URI address();

    /** {@return the same root as the servers reach it when they replicate} */
    default URI addressForServers() {
        return address();
    }

    /** {@return the address of a database, with name and password} */
    default URI database(String name) {
        return address().resolve(name);
    }

    /** {@return whether it can be killed and restarted} */
    default boolean isMortal() {
        return false;
    }

    /** Kills the server, as in a crash. */
    default void kill() {
        throw new UnsupportedOperationException("Not this server");
    }

    /** Starts the server after {@link #kill}, at the same address and with the same data. */
    default void restart() {
        throw new UnsupportedOperationException("Not this server");
    }

    @Override
    void close();
}
