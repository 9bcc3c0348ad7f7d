package dev.couchjobs.bridge.internal.couch;

import java.util.concurrent.CompletableFuture;

/** The databases that the {@link CouchContract} is tried on, and the time that passes there. */
public interface CouchFixture extends AutoCloseable {

    /** One database of one server. */
    interface Place {
        /** Creates it. */
        void create();

        /** {@return a client of its own} */
        CouchDatabase connect();

        /** Clients lose their connections, and get none. */
        void interrupt();

        /** The opposite of {@link #interrupt}. */
        void resume();
    }

    /** {@return a place for a database; no two on the same server follow each other} */
    Place place();

    /** Replicates from one database to the other from now on. */
    void replicate(Place source, Place target);

    /** {@return what the future gives, when it does} */
    <T> T await(CompletableFuture<T> future);

    @Override
    void close();
}
