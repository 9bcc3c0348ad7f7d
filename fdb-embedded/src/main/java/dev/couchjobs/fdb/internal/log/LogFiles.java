package dev.couchjobs.fdb.internal.log;

import dev.couchjobs.fdb.embedded.DirectoryInUseException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The few things that the log and its directory ask of a file system; the seam at which tests make them fail. */
interface LogFiles {
    boolean exists(Path path);

    boolean isDirectory(Path path);

    /** Whether this process may make and remove files in the directory. */
    boolean isWritable(Path directory);

    /** Makes one directory, whose parent is there. */
    void createDirectory(Path path) throws IOException;

    /** The names in a directory, in order. */
    List<String> list(Path directory) throws IOException;

    /** Opens an existing file. */
    LogFile open(Path path) throws IOException;

    /** Makes a file, or empties the one that is there. */
    LogFile create(Path path) throws IOException;

    /** Renames at once, replacing the target; durable after {@link #syncDirectory}. */
    void rename(Path from, Path to) throws IOException;

    void delete(Path path) throws IOException;

    /** Makes durable which files the directory has. */
    void syncDirectory(Path directory) throws IOException;

    /**
     * Takes the lock on a file, which is made if it is not there, until the result is closed or the process ends.
     *
     * @throws DirectoryInUseException if this process or another one has it
     */
    Closeable lock(Path path) throws IOException;

    /**
     * Fails if the locked file is no longer at its path: the directory was removed or replaced, and writes by name
     * would go to the other directory.
     */
    default void checkLock() throws IOException {}

    /** Whether an error on that path has to do with a full disk. */
    boolean isFull(Path path, IOException error);
}
