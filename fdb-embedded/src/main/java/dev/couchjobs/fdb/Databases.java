package dev.couchjobs.fdb;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;

/**
 * Opens a database, whichever it is: what is written for one runs on the others.
 *
 * <pre>{@code
 * Databases.open("/var/lib/shop/jobs");                 // embedded, on disk
 * Databases.open("/etc/foundationdb/fdb.cluster");      // a FoundationDB cluster
 * Databases.open("docker:docker@127.0.0.1:4500");       // a cluster, without a file
 * Databases.open("");                                   // in memory
 * }</pre>
 *
 * <p>Only clusters need FoundationDB's native client. Opening waits until the database answers, or says in seconds why
 * it does not. The databases are thread-safe, and the caller's to close.
 */
public final class Databases {
    private Databases() {}

    /**
     * Opens what a user means, with safe options.
     *
     * @param place see {@link Place#of(String)}
     * @return the database, to be closed by the caller
     * @throws ClusterUnavailableException if a cluster cannot be opened or does not answer
     * @throws dev.couchjobs.fdb.embedded.StorageException if a directory cannot be opened
     */
    public static Database open(String place) {
        return open(Place.of(place));
    }

    /**
     * Opens a place, with safe options.
     *
     * @param place where it is
     * @return the database, to be closed by the caller
     * @throws ClusterUnavailableException if a cluster cannot be opened or does not answer
     * @throws dev.couchjobs.fdb.embedded.StorageException if a directory cannot be opened
     */
    public static Database open(Place place) {
        return open(place, ClusterOptions.defaults());
    }

    /**
     * Opens a place.
     *
     * @param place where it is
     * @param options what holds if it is a cluster
     * @return the database, to be closed by the caller
     * @throws ClusterUnavailableException if a cluster cannot be opened or does not answer
     * @throws dev.couchjobs.fdb.embedded.StorageException if a directory cannot be opened
     */
    public static Database open(Place place, ClusterOptions options) {
        if (place instanceof Place.InMemory) {
            return EmbeddedDatabase.openInMemory();
        }
        if (place instanceof Place.Directory directory) {
            return EmbeddedDatabase.open(directory.path());
        }
        ClusterFile file = place instanceof Place.ClusterFile given
                ? ClusterFile.read(given.path())
                : ClusterFile.written((Place.Connection) place);
        return ClusterDatabase.open(file, options);
    }
}
