package dev.couchjobs.bridge.servers;

import java.net.URI;

/** A CouchDB server that a test may use. */
public interface CouchServer extends AutoCloseable {

    /** {@return the server's root, with a name and a password if it wants them, and a slash at its end} */
    URI address();

    /** {@return the same root as other servers reach it, and this one itself, when they replicate} */
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

    /** Ends it at once, as a crash does. */
    default void kill() {
        throw new UnsupportedOperationException("Not this server");
    }

    /** Starts it after a {@link #kill}, at the same address and with the same data. */
    default void restart() {
        throw new UnsupportedOperationException("Not this server");
    }

    @Override
    void close();
}
