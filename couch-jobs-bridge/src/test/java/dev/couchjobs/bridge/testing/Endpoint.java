package dev.couchjobs.bridge.testing;

import java.util.Optional;

/**
 * The place of a database.
 *
 * @param server the server
 * @param name the name of the database
 */
public record Endpoint(ModelServer server, String name) {

    /** {@return the database, if the server is up and contains it} */
    Optional<ModelCouchDatabase> reach() {
        return server.reach(name);
    }

    @Override
    public String toString() {
        return server + "/" + name;
    }
}
