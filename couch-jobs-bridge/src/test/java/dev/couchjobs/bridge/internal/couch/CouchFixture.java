package dev.couchjobs.bridge.internal.couch;

import java.util.concurrent.CompletableFuture;

/** The databases for the {@link CouchContract}, and their time. */
public interface CouchFixture extends AutoCloseable {

    /** The place of one database on one server. */
    interface Place {
        /** Creates the database. */
        void create();

        /** {@return a new client} */
        CouchDatabase connect();

        /** Closes the connections of clients, and refuses new ones. */
        void interrupt();

        /** Ends {@link #interrupt}. */
        void resume();
    }

    /** {@return a place for a database, on another server than the last one} */
    Place place();

    /** Starts a replication between two databases. */
    void replicate(Place source, Place target);

    /** {@return the result of the future, when it completes} */
    <T> T await(CompletableFuture<T> future);

    @Override
    void close();
}
