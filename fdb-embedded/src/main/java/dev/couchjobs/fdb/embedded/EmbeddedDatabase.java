package dev.couchjobs.fdb.embedded;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.internal.client.EngineDatabase;
import dev.couchjobs.fdb.internal.commit.Engine;
import dev.couchjobs.fdb.internal.common.EngineFailure;
import dev.couchjobs.fdb.internal.storage.DurableStorage;
import dev.couchjobs.fdb.internal.storage.MemoryLimits;
import dev.couchjobs.fdb.internal.storage.MemoryStorage;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/**
 * FoundationDB inside this process: a {@link Database} with the same semantics, limits and error codes, that needs
 * neither a server nor the native client.
 *
 * <p>The databases opened here are thread-safe. Closing one fails its watches and whatever is still asked of its
 * transactions; closing it again does nothing. When {@code close} returns, the threads that the database started have
 * ended, except a thread that runs a continuation of the caller: {@code close} waits ten seconds for it, or not at all
 * if it is called there.
 */
public final class EmbeddedDatabase {
    private static final long VERSION_MAX = 1L << 62;

    private EmbeddedDatabase() {}

    /**
     * Opens an empty database in memory, which is gone when it is closed. Its threads are daemons, start when they are
     * needed, and have ended when {@code close} returns. It holds rows of half of the heap; then commits that add some
     * fail with error 1510, whose cause is a {@link StorageFullException}.
     *
     * @return the database, to be closed by the caller
     */
    public static Database openInMemory() {
        EngineThreads threads = new EngineThreads();
        return openInMemory(threads.environment(), threads::shutDown, threads::awaitEnd);
    }

    /**
     * Opens an empty database in memory that takes threads, timers, time and randomness from the given environment.
     *
     * @param environment stays the caller's; closing the database does not shut it down
     * @return the database, to be closed by the caller
     */
    public static Database openInMemory(EngineEnvironment environment) {
        return openInMemory(environment, () -> {}, () -> {});
    }

    private static Database openInMemory(EngineEnvironment environment, Runnable release, Runnable awaitRelease) {
        MemoryLimits limits = MemoryLimits.ofHeap(environment.heapBytes());
        Engine engine = new Engine(environment, new MemoryStorage(limits.contentsBytes()), release);
        return new EngineDatabase(engine, false, awaitRelease);
    }

    /**
     * Opens the database that is kept in a directory, or makes it there. Each commit is on disk when it is
     * acknowledged.
     *
     * <p>One process at a time has the directory. It is let go when the database is closed, which is quick to open
     * again, and also when the process is killed; then opening goes through the log of the last commits.
     *
     * @param directory holds the database and nothing else; is made if it is not there
     * @return the database, to be closed by the caller; closing it waits until all is on disk
     * @throws DirectoryInUseException if it is open already, in this process or another
     * @throws UnknownFormatException if the directory holds something else, or was made by another version
     * @throws CorruptStorageException if something of it is damaged or missing
     * @throws DirectoryNotWritableException if this process may not write there
     * @throws StorageFullException if there is no room on the disk
     * @throws StorageException if it cannot be opened for another reason
     */
    public static Database open(Path directory) {
        return open(directory, Durability.SYNCED);
    }

    /**
     * Opens the database that is kept in a directory, or makes it there.
     *
     * @param directory holds the database and nothing else; is made if it is not there
     * @param durability what an acknowledged commit survives
     * @return the database, to be closed by the caller; closing it waits until all is on disk
     * @throws StorageException as {@link #open(Path)} does
     */
    public static Database open(Path directory, Durability durability) {
        return open(directory, durability, 0);
    }

    /**
     * Opens the database that is kept in a directory, or makes it there, and advances its versions: all from now on are
     * after the given one. What {@code fdbcli} does to a cluster with {@code advanceversion}, for a database that takes
     * over data with versionstamps of another.
     *
     * @param directory holds the database and nothing else; is made if it is not there
     * @param version at most 2<sup>62</sup>; what the database has reached already changes nothing
     * @return the database, to be closed by the caller; closing it waits until all is on disk
     * @throws IllegalArgumentException if the version is greater
     * @throws StorageException as {@link #open(Path)} does
     */
    public static Database openAfter(Path directory, long version) {
        if (version > VERSION_MAX) {
            throw new IllegalArgumentException(
                    "Versions can be advanced to 2^62 at most, so that they do not run out; this is " + version + ".");
        }
        return open(directory, Durability.SYNCED, version);
    }

    /**
     * Opens the database that is kept in a directory, or makes it there, and takes threads, timers, time and randomness
     * from the given environment.
     *
     * @param directory holds the database and nothing else; is made if it is not there
     * @param durability what an acknowledged commit survives
     * @param environment stays the caller's; closing the database does not shut it down
     * @return the database, to be closed by the caller; closing it waits until all is on disk
     * @throws StorageException as {@link #open(Path)} does
     */
    public static Database open(Path directory, Durability durability, EngineEnvironment environment) {
        return open(directory, durability, environment, 0, () -> {}, () -> {});
    }

    private static Database open(Path directory, Durability durability, long after) {
        EngineThreads threads = new EngineThreads();
        EngineEnvironment environment = threads.environment();
        try {
            return open(directory, durability, environment, after, threads::shutDown, threads::awaitEnd);
        } catch (RuntimeException | Error e) {
            threads.shutDown();
            threads.awaitEnd();
            throw e;
        }
    }

    private static Database open(
            Path directory,
            Durability durability,
            EngineEnvironment environment,
            long after,
            Runnable release,
            Runnable awaitRelease) {
        EngineFailure failure = new EngineFailure();
        DurableStorage storage = DurableStorage.open(directory, durability, environment, failure, after);
        try {
            return new EngineDatabase(new Engine(environment, storage, failure, release), true, awaitRelease);
        } catch (RuntimeException | Error e) {
            storage.close(storage.recovered().version());
            throw e;
        }
    }

    /**
     * Says whether a database has stopped for good, and why. It stops when its log cannot be written any more, when its
     * directory is removed or replaced, or when one of its threads meets an {@link Error} such as
     * {@link OutOfMemoryError}. Then every read, commit and watch fails, and stays so until the database is closed and
     * opened again, best in a new process.
     *
     * <pre>{@code
     * FDBException whyStopped = EmbeddedDatabase.failure(database).getNow(null);   // null: it works
     * EmbeddedDatabase.failure(database).thenAccept(why -> exit(why.getMessage()));
     * }</pre>
     *
     * <p>The method never blocks, and any thread may call it. Actions that are attached to the future run on a thread
     * of the engine or on one that commits, so they are quick, or name an executor.
     *
     * @param database the database, as a method of this class has returned it; any other, such as a cluster, is never
     *     reported as stopped
     * @return the same future in each call, for callers to read and not to complete. It completes, never exceptionally,
     *     when the database has stopped, with the error that its callers get: 1510 whose cause is a
     *     {@link StorageException}, or 4100 whose cause is what the thread met. It does not complete when its owner
     *     closes the database
     */
    public static CompletableFuture<FDBException> failure(Database database) {
        return database instanceof EngineDatabase engine ? engine.failure() : new CompletableFuture<>();
    }

    /**
     * Writes a copy of an open database that is kept in a directory, which is a database itself: {@link #open(Path)}
     * opens it, here or wherever it is moved to. It has every commit that was acknowledged before the call, perhaps
     * some later ones, and none in part. Commits continue meanwhile. On the same file system the copy is quick and
     * shares files with the database, which neither of them changes: a copy that is to survive the disk has to be on
     * another.
     *
     * <p>A process that ends while it writes leaves a directory whose name ends in {@code .unfinished}.
     *
     * @param database the database, as {@link #open(Path)} has returned it
     * @param directory where the copy is to be; is made
     * @return completes when the copy is on disk; fails with a {@link StorageException} if the directory is there
     *     already, or the disk fails
     * @throws IllegalArgumentException if the database is not kept in a directory
     */
    public static CompletableFuture<Void> backUp(Database database, Path directory) {
        if (database instanceof EngineDatabase engine && engine.isInDirectory()) {
            return engine.backUp(directory);
        }
        throw new IllegalArgumentException("Only a database that EmbeddedDatabase.open has opened in a directory has"
                + " backups: for a cluster use fdbbackup.");
    }
}
