package dev.couchjobs.fdb.embedded;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The disk is full, or the part of the heap that a database in memory may take. What was acknowledged is safe. A commit
 * that failed because no space could be reserved for it did not happen, and later ones succeed once there is space
 * again; the message says so if the database has to be reopened.
 */
public final class StorageFullException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by fdb-embedded.
     *
     * @param message what was wrong, and what to do
     * @param path the file that could not grow, or its directory; null for a database in memory
     * @param cause what the operating system said, if it was asked
     */
    public StorageFullException(String message, @Nullable Path path, @Nullable Throwable cause) {
        super(message, path, cause);
    }
}
