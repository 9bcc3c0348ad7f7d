package dev.couchjobs.fdb.embedded;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.internal.client.EngineDatabase;
import dev.couchjobs.fdb.internal.commit.Engine;
import dev.couchjobs.fdb.internal.keys.Limits;
import dev.couchjobs.fdb.internal.storage.MemoryStorage;
import dev.couchjobs.fdb.internal.storage.SimulatedStorage;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.Snapshot;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine of a {@code dev.couchjobs.fdb.simulation.Simulation}, which has it fail and recover as a cluster does.
 * Made for that and for nothing else: a simulation is what users open. Used by one thread.
 */
public final class SimulatedStore {
    /** As far as a cluster jumps ahead when it recovers. */
    private static final long RECOVERY_VERSIONS = 100 * Limits.VERSIONS_PER_SECOND;

    private final Supplier<? extends CompletableFuture<?>> disk;
    private final Engine engine;
    private SimulatedStorage storage;
    private @Nullable Contents seen;

    /**
     * Opens an empty store.
     *
     * @param environment all that it takes from outside
     * @param disk says when what is written now is durable; completes on the environment's executor
     */
    public SimulatedStore(EngineEnvironment environment, Supplier<? extends CompletableFuture<?>> disk) {
        this.disk = disk;
        this.storage = new SimulatedStorage(new MemoryStorage(Long.MAX_VALUE).recovered(), disk);
        this.engine = new Engine(environment, storage, () -> {});
    }

    /**
     * Connects to the store.
     *
     * @return a database with options of its own, which outlives the losses of the store
     */
    public Database connect() {
        return new EngineDatabase(engine, false);
    }

    /**
     * Takes the store away. Commits that begin from now on, or are under way, fail with an unknown result (1021).
     *
     * @param gotThrough whether what is being written is durable nevertheless
     */
    public void lose(boolean gotThrough) {
        storage.lose(gotThrough);
    }

    /**
     * Brings back what was durable when the store was lost. Transactions from before are too old; watches have failed.
     */
    public void recover() {
        Snapshot durable = storage.durable();
        long newest = Math.max(durable.version(), engine.versions().newest().version());
        storage = new SimulatedStorage(new Snapshot(newest + RECOVERY_VERSIONS, durable.contents()), disk);
        engine.restart(storage);
    }

    /**
     * Returns whether there is something new to see. A call counts as a read.
     *
     * @return whether the rows have changed since the last call; true for the first one
     */
    public boolean hasChanged() {
        Contents now = engine.versions().latest().contents();
        boolean hasChanged = !now.equals(seen);
        seen = now;
        return hasChanged;
    }

    /** Closes it for all who are connected. */
    public void close() {
        var unused = engine.close();
    }
}
