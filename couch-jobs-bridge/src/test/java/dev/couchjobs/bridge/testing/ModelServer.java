package dev.couchjobs.bridge.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * A server with its databases. Writes are durable; a crash only breaks connections. Call its methods on the thread of
 * its {@link ModelCouch}.
 */
public final class ModelServer {
    private final String name;
    private final RandomGenerator random;
    private final Map<String, ModelCouchDatabase> databases = new TreeMap<>();
    private List<Runnable> waiting = new ArrayList<>();
    private boolean up = true;
    private int crashes;

    ModelServer(String name, RandomGenerator random) {
        this.name = name;
        this.random = random;
    }

    /** {@return its name} */
    public String name() {
        return name;
    }

    /** {@return a database without faults, created if it does not exist} */
    public ModelCouchDatabase database(String database) {
        ModelCouchDatabase there = databases.get(database);
        if (there != null) {
            return there;
        }
        String incarnation = Long.toHexString(random.nextLong());
        ModelCouchDatabase made = new ModelCouchDatabase(incarnation, random, this::tellChanged);
        databases.put(database, made);
        tellChanged();
        return made;
    }

    /** Deletes a database with its contents. */
    public void drop(String database) {
        databases.remove(database);
        tellChanged();
    }

    /** Stops the server if it runs, and reports that to all waiting requests. */
    public void stop() {
        if (up) {
            up = false;
            crashes++;
            tellChanged();
        }
    }

    /** Starts the server with its data. */
    public void start() {
        up = true;
        tellChanged();
    }

    /** {@return whether it answers} */
    public boolean isUp() {
        return up;
    }

    /** The number of stops: requests from before the last one are not answered. */
    int crashes() {
        return crashes;
    }

    /** {@return the database as clients of the server see it, if it exists} */
    Optional<ModelCouchDatabase> reach(String database) {
        return up ? Optional.ofNullable(databases.get(database)) : Optional.empty();
    }

    /** Runs an action once, at the next change on this server. */
    void whenChanged(Runnable action) {
        waiting.add(action);
    }

    private void tellChanged() {
        List<Runnable> told = waiting;
        waiting = new ArrayList<>();
        told.forEach(Runnable::run);
    }

    @Override
    public String toString() {
        return name;
    }
}
