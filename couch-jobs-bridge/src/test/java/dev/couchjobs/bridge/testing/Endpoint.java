package dev.couchjobs.bridge.testing;

import java.util.Optional;

/**
 * A place for a database.
 *
 * @param server where
 * @param name how it is called there
 */
public record Endpoint(ModelServer server, String name) {

    /** The database, if the server is up and has it. */
    Optional<ModelCouchDatabase> reach() {
        return server.reach(name);
    }

    @Override
    public String toString() {
        return server + "/" + name;
    }
}
