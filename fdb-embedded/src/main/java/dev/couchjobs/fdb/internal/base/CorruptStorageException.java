package dev.couchjobs.fdb.internal.base;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Files of the database are missing, damaged or older than they were. */
public class CorruptStorageException extends StorageException {
    CorruptStorageException(String message, Path path, @Nullable Throwable cause) {
        super(message, path, cause);
    }
}
