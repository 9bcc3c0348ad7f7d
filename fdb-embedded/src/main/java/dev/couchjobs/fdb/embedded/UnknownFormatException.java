package dev.couchjobs.fdb.embedded;

import java.nio.file.Path;

/**
 * The directory is not one that this version of fdb-embedded can read: another version made it, or something else.
 * Nothing in it was touched.
 */
public final class UnknownFormatException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by fdb-embedded.
     *
     * @param message what was wrong, and what to do
     * @param path the directory, or the file that says so
     */
    public UnknownFormatException(String message, Path path) {
        super(message, path, null);
    }
}
