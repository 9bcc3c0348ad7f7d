package dev.couchjobs.fdb.internal.base;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The disk, or what is on it, failed the database. */
public class StorageException extends RuntimeException {
    StorageException(String message, Path path, @Nullable Throwable cause) {
        super(message + " (" + path + ")", cause);
    }
}
