package dev.couchjobs.fdb.internal.base;

import dev.couchjobs.fdb.embedded.CorruptStorageException;
import dev.couchjobs.fdb.embedded.StorageException;
import dev.couchjobs.fdb.embedded.StorageFullException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Says in the engine's own exceptions what RocksDB and the file system report about a directory. */
record StorageErrors(Path directory) {
    private static final String NO_SPACE = "No space left on device";

    /** {@code doing} completes the sentence "The disk failed when …". */
    StorageException when(String doing, RocksDBException cause) {
        Status status = cause.getStatus();
        if (status != null && status.getCode() == Status.Code.Corruption) {
            return corrupt("a file is damaged or missing: " + cause.getMessage(), cause);
        }
        boolean full = status != null && status.getSubCode() == Status.SubCode.NoSpace;
        return failure(doing, full || isFull(cause), cause);
    }

    StorageException when(String doing, IOException cause) {
        if (cause instanceof ClosedByInterruptException) {
            return new StorageException(
                    "The thread was interrupted when " + doing + " in " + directory
                            + ". Nothing was changed that was there. Do it again, on a thread whose interrupt status is"
                            + " clear.",
                    directory,
                    cause);
        }
        return failure(doing, isFull(cause), cause);
    }

    CorruptStorageException corrupt(String damage, @Nullable Throwable cause) {
        return new CorruptStorageException(
                "The database in " + directory + " is damaged: " + damage
                        + ". Copy the directory before you try anything, and restore a backup.",
                directory,
                cause);
    }

    private StorageException failure(String doing, boolean full, Exception cause) {
        if (full) {
            return new StorageFullException(
                    "No space is left for the database in " + directory + " when " + doing
                            + ". Make space and open it again: what was committed is kept.",
                    directory,
                    cause);
        }
        return new StorageException(
                "The disk failed the database in " + directory + " when " + doing + ": " + cause.getMessage(),
                directory,
                cause);
    }

    private static boolean isFull(Exception cause) {
        return Objects.requireNonNullElse(cause.getMessage(), "").contains(NO_SPACE);
    }
}
