package dev.couchjobs.bridge.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * A server with its databases. What is written is durable; what a crash takes are the connections. To be used on the
 * thread of its {@link ModelCouch}.
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

    /** {@return a database, past all faults; made if it was not there} */
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

    /** Deletes a database with all that is in it. */
    public void drop(String database) {
        databases.remove(database);
        tellChanged();
    }

    /** Takes it down, if it is not; all that waits for it learns of that. */
    public void stop() {
        if (up) {
            up = false;
            crashes++;
            tellChanged();
        }
    }

    /** Has it back, with all that it had. */
    public void start() {
        up = true;
        tellChanged();
    }

    /** {@return whether it answers} */
    public boolean isUp() {
        return up;
    }

    /** How often it has gone down: what was begun before the last time is not answered. */
    int crashes() {
        return crashes;
    }

    /** The database as those find it who ask this server, if it is there at present. */
    Optional<ModelCouchDatabase> reach(String database) {
        return up ? Optional.ofNullable(databases.get(database)) : Optional.empty();
    }

    /** Calls back once when anything here has changed. */
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
