package dev.couchjobs.fdb.embedded;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The directory cannot be made or written: it is a file, is on a read-only file system, or belongs to another user.
 */
public final class DirectoryNotWritableException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by fdb-embedded.
     *
     * @param message what was wrong, and what to do
     * @param path the directory, or the file in it
     * @param cause what the operating system said, if it was asked
     */
    public DirectoryNotWritableException(String message, Path path, @Nullable Throwable cause) {
        super(message, path, cause);
    }
}
