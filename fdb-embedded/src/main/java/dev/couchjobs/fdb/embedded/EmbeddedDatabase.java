package dev.couchjobs.fdb.embedded;

import com.apple.foundationdb.Database;
import java.util.concurrent.ExecutorService;

/**
 * FoundationDB inside this process: a {@link Database} with the same semantics, limits and error codes, that needs
 * neither a server nor the native client.
 *
 * <p>The databases opened here are thread-safe. Closing one fails its watches and whatever is still asked of its
 * transactions; closing it again does nothing.
 */
public final class EmbeddedDatabase {
    private EmbeddedDatabase() {}

    /**
     * Opens an empty database in memory, which is gone when it is closed. Its threads are daemons, start when they are
     * needed and end when it is closed.
     *
     * @return the database, to be closed by the caller
     */
    public static Database openInMemory() {
        EngineEnvironment environment = EngineEnvironment.system();
        return new EngineDatabase(new Engine(environment, new MemoryStorage(), () -> shutDown(environment)));
    }

    /**
     * Opens an empty database in memory that takes threads, timers, time and randomness from the given environment.
     *
     * @param environment stays the caller's; closing the database does not shut it down
     * @return the database, to be closed by the caller
     */
    public static Database openInMemory(EngineEnvironment environment) {
        return new EngineDatabase(new Engine(environment, new MemoryStorage(), () -> {}));
    }

    private static void shutDown(EngineEnvironment environment) {
        environment.scheduler().shutdown();
        if (environment.executor() instanceof ExecutorService executor) {
            executor.shutdown();
        }
    }
}
