package dev.couchjobs.fdb;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a database, embedded or of a cluster: code that is written for one runs on the others.
 *
 * <pre>{@code
 * Databases.inMemory();
 * Databases.directory(Path.of("/var/lib/shop/jobs"));
 * Databases.cluster(Path.of("/etc/foundationdb/fdb.cluster"));
 * Databases.cluster("docker:docker@127.0.0.1:4500");    // without a cluster file
 * Databases.open(config.get("database"));               // one of these, as text
 * }</pre>
 *
 * <p>Only clusters need FoundationDB's native client. Opening waits until the database answers, or fails in seconds and
 * says why. It logs what it opened, in one line at INFO. The databases are thread-safe, and the caller closes them.
 */
public final class Databases {
    private static final Logger LOG = LoggerFactory.getLogger(Databases.class);

    private Databases() {}

    /** {@return a new database in memory, empty at first and gone when it is closed} */
    public static Database inMemory() {
        return open(new DatabaseLocation.InMemory());
    }

    /**
     * Opens the database in a directory. A directory is for one JVM; two need a cluster.
     *
     * @param path the directory, made if it does not exist
     * @return the database, to be closed by the caller
     * @throws dev.couchjobs.fdb.embedded.DirectoryInUseException if another process, or this one, has it open
     * @throws dev.couchjobs.fdb.embedded.StorageException if it cannot be opened
     */
    public static Database directory(Path path) {
        return open(new DatabaseLocation.Directory(path));
    }

    /**
     * Opens the database in a directory, and waits while another process has it open: in a rolling restart the new
     * process takes over when the old one closes the database or dies. Blocks the calling thread.
     *
     * @param path the directory, made if it does not exist
     * @param wait how long to wait at most
     * @return the database, to be closed by the caller
     * @throws dev.couchjobs.fdb.embedded.DirectoryInUseException if it is still open when the time is up, or the thread
     *     is interrupted, and stays so
     * @throws dev.couchjobs.fdb.embedded.StorageException if it cannot be opened
     * @throws IllegalArgumentException if the time is negative
     */
    public static Database directory(Path path, Duration wait) {
        return DirectoryWait.open(path, wait);
    }

    /**
     * Opens a cluster, with safe options.
     *
     * @param clusterFile its cluster file
     * @return the database, to be closed by the caller
     * @throws ClusterUnavailableException if the cluster cannot be opened or does not answer
     */
    public static Database cluster(Path clusterFile) {
        return open(new DatabaseLocation.ClusterFile(clusterFile));
    }

    /**
     * Opens a cluster without a cluster file, with safe options.
     *
     * @param connection what its cluster file says: {@code description:id@address:port,…}
     * @return the database, to be closed by the caller
     * @throws IllegalArgumentException if that is not a connection string
     * @throws ClusterUnavailableException if the cluster cannot be opened or does not answer
     */
    public static Database cluster(String connection) {
        return open(new DatabaseLocation.Connection(connection));
    }

    /**
     * Opens what a configuration or an argument names, with safe options.
     *
     * @param place see {@link DatabaseLocation#of(String)}
     * @return the database, to be closed by the caller
     * @throws IllegalArgumentException if the text does not say clearly what it names
     * @throws ClusterUnavailableException if a cluster cannot be opened or does not answer
     * @throws dev.couchjobs.fdb.embedded.StorageException if a directory cannot be opened
     */
    public static Database open(String place) {
        return open(DatabaseLocation.of(place));
    }

    /**
     * Opens a place, with safe options.
     *
     * @param location where it is
     * @return the database, to be closed by the caller
     * @throws ClusterUnavailableException if a cluster cannot be opened or does not answer
     * @throws dev.couchjobs.fdb.embedded.StorageException if a directory cannot be opened
     */
    public static Database open(DatabaseLocation location) {
        return open(location, ClusterOptions.defaults());
    }

    /**
     * Opens a place.
     *
     * @param location where it is
     * @param options what holds if it is a cluster
     * @return the database, to be closed by the caller
     * @throws ClusterUnavailableException if a cluster cannot be opened or does not answer
     * @throws dev.couchjobs.fdb.embedded.StorageException if a directory cannot be opened
     */
    public static Database open(DatabaseLocation location, ClusterOptions options) {
        Database database = opened(location, options);
        LOG.info("Opened {}", location);
        return database;
    }

    private static Database opened(DatabaseLocation location, ClusterOptions options) {
        if (location instanceof DatabaseLocation.InMemory) {
            return EmbeddedDatabase.openInMemory();
        }
        if (location instanceof DatabaseLocation.Directory directory) {
            return EmbeddedDatabase.open(directory.path());
        }
        ClusterFile file = location instanceof DatabaseLocation.ClusterFile given
                ? ClusterFile.read(given.path())
                : ClusterFile.written((DatabaseLocation.Connection) location);
        return ClusterDatabase.open(file, options);
    }
}
