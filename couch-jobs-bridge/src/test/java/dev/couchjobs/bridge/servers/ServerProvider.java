package dev.couchjobs.bridge.servers;

/** Another source of servers; the profile {@code docker} adds one to the class path. */
public interface ServerProvider {

    /** {@return a server that runs} */
    CouchServer start();
}
