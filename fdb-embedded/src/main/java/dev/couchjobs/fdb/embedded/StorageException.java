package dev.couchjobs.fdb.embedded;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A database cannot be opened, or cannot go on. The message says what is wrong with which file, which commits are
 * safe and what to do; subclasses stand for the causes that a program may want to distinguish.
 */
public class StorageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient @Nullable Path path;

    /**
     * Made by fdb-embedded.
     *
     * @param message what was wrong, and what to do
     * @param path the file or directory in question, if there is one
     * @param cause what the operating system said, if it was asked
     */
    public StorageException(String message, @Nullable Path path, @Nullable Throwable cause) {
        super(message, cause);
        this.path = path;
    }

    /**
     * The file or directory at fault.
     *
     * @return its path, as far as it was known; null in an exception that was serialized, or is about a database in
     *     memory
     */
    public @Nullable Path path() {
        return path;
    }
}
