package dev.couchjobs.bridge.servers;

/** Another source of servers; the profile {@code docker} puts one on the class path. */
public interface ServerProvider {

    /** {@return a server that is up} */
    CouchServer start();
}
