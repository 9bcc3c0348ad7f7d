package dev.couchjobs.fdb.embedded;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that were written and synced have changed or are gone. The message names the file and the place. Nothing on
 * disk was changed: what is there is the best there is, so copy it before you try anything, and restore a backup.
 */
public final class CorruptStorageException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by fdb-embedded.
     *
     * @param message what was wrong, and what to do
     * @param path the damaged file, or the directory that misses one
     * @param cause what the operating system said, if it was asked
     */
    public CorruptStorageException(String message, Path path, @Nullable Throwable cause) {
        super(message, path, cause);
    }
}
