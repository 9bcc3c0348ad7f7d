package dev.couchjobs.fdb.internal.base;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** No space is left for the database. */
public class StorageFullException extends StorageException {
    StorageFullException(String message, Path path, @Nullable Throwable cause) {
        super(message, path, cause);
    }
}
