package dev.couchjobs.fdb.embedded;

import java.nio.file.Path;

/**
 * The directory is open already, in this process or in another one, which the message names. A directory is for one
 * process at a time; two need a cluster.
 */
public final class DirectoryInUseException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by fdb-embedded.
     *
     * @param message what was wrong, and what to do
     * @param path the directory
     */
    public DirectoryInUseException(String message, Path path) {
        super(message, path, null);
    }
}
