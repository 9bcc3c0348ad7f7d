package dev.couchjobs.server.internal.http;

/** The connection of a client whose request waits. */
public interface ClientConnection {
    /** The attribute of a request that has its connection, if the server can watch it. */
    String ATTRIBUTE = "dev.couchjobs.server.connection";

    /** A connection whose end is not noticed before a reply is written. */
    ClientConnection UNWATCHED = new ClientConnection() {
        @Override
        public void watch(Runnable onEnd) {}

        @Override
        public void unwatch() {}
    };

    /** Runs an action, once, if the connection ends before it is no longer watched. To be called once. */
    void watch(Runnable onEnd);

    /** Ends the watch: a reply is about to be written, or has been written in parts. */
    void unwatch();
}
