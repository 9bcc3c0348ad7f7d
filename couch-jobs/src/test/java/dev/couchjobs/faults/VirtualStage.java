package dev.couchjobs.faults;

import com.apple.foundationdb.Database;
import dev.couchjobs.Environment;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** The embedded engine in memory, in virtual time and on one thread. */
public final class VirtualStage implements Stage {
    private final VirtualScheduler time = new VirtualScheduler();
    private final Database database;
    private final Environment environment;

    /**
     * Opens an empty database.
     *
     * @param seed of all randomness
     */
    public VirtualStage(long seed) {
        database = EmbeddedDatabase.openInMemory(new EngineEnvironment(time, time, time::nanoTime, new Random(seed)));
        environment = new Environment(time, time, new Random(seed + 1));
    }

    /** {@return the thread, and the time that passes on it} */
    public VirtualScheduler time() {
        return time;
    }

    @Override
    public Database database() {
        return database;
    }

    @Override
    public Environment environment() {
        return environment;
    }

    @Override
    public <T> T await(CompletableFuture<T> future) {
        return time.await(future);
    }

    @Override
    public void close() {
        database.close();
        time.runUntilIdle();
    }
}
