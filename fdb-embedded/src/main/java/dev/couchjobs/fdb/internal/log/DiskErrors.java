package dev.couchjobs.fdb.internal.log;

import dev.couchjobs.fdb.embedded.CorruptStorageException;
import dev.couchjobs.fdb.embedded.DirectoryNotWritableException;
import dev.couchjobs.fdb.embedded.StorageException;
import dev.couchjobs.fdb.embedded.StorageFullException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The errors for failures of the disk. */
final class DiskErrors {
    private DiskErrors() {}

    static CorruptStorageException corrupt(Path path, String damage) {
        return corrupt(path, damage, null);
    }

    static CorruptStorageException corrupt(Path path, String damage, @Nullable Throwable cause) {
        return new CorruptStorageException(
                path + " is damaged: " + damage
                        + ". Nothing was changed. Look for the cause before anything else (the disk,"
                        + " a tool that touched the file), keep a copy, and restore a backup.",
                path,
                cause);
    }

    static CorruptStorageException corrupt(Segment segment, int place, String damage) {
        return corrupt(segment.path, "at byte " + place + ", " + damage);
    }

    /** Opening failed, and nothing is lost by it. */
    static StorageException whileOpening(LogFiles files, Path path, IOException error) {
        if (error instanceof ClosedByInterruptException || error instanceof FileLockInterruptionException) {
            return new StorageException(
                    path
                            + " was not opened: the thread that opens it was interrupted. Nothing was changed that"
                            + " was there."
                            + " Open it again, on a thread whose interrupt status is clear.",
                    path,
                    error);
        }
        if (files.isFull(path, error)) {
            return new StorageFullException(
                    path + " cannot be opened, the disk is full: " + error
                            + ". Nothing was lost. Free some space and open it" + " again.",
                    path,
                    error);
        }
        if (error instanceof AccessDeniedException
                || String.valueOf(error.getMessage()).contains("Read-only file system")) {
            return new DirectoryNotWritableException(
                    path + " cannot be opened for writing: " + error + ". Let this user write there, or open another"
                            + " directory.",
                    path,
                    error);
        }
        return new StorageException(
                path + " cannot be opened: " + error
                        + ". Nothing was changed that was there. See to the disk and open it" + " again.",
                path,
                error);
    }

    /** The log cannot go on. */
    static StorageException whileWriting(LogFiles files, Path path, IOException error) {
        String message =
                path + " could not be written: " + error + ". Every commit that was acknowledged is safe; whether"
                        + " the one under way happened is known once the database is opened again. ";
        return files.isFull(path, error)
                ? new StorageFullException(message + "Free some space, then open it again.", path, error)
                : new StorageException(message + "See to the disk, then open it again.", path, error);
    }

    /** The log goes on as soon as the cause is gone. */
    static StorageException whileReserving(LogFiles files, Path directory, IOException error) {
        String message = "The next part of the log could not be made in " + directory + ": " + error
                + ". The commit did not happen, and every one that was acknowledged is safe. ";
        return files.isFull(directory, error)
                ? new StorageFullException(message + "Free some space and try again.", directory, error)
                : new StorageException(message + "See to the disk and try again.", directory, error);
    }
}
