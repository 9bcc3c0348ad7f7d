package dev.couchjobs.examples;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/**
 * A text file as it was when the directory was listed.
 *
 * @param path relative to the directory
 * @param bytes its size
 * @param modified when it was last written
 */
record TextFile(String path, long bytes, FileTime modified) {
    static TextFile of(String path, BasicFileAttributes attributes) {
        return new TextFile(path, attributes.size(), attributes.lastModifiedTime());
    }

    boolean hasChangedUnder(Path root) throws IOException {
        return !equals(of(path, Files.readAttributes(root.resolve(path), BasicFileAttributes.class)));
    }

    /** {@return in a few words, why a file cannot be read} */
    static String reason(IOException error) {
        if (error instanceof NoSuchFileException) {
            return "it is gone";
        }
        if (error instanceof AccessDeniedException) {
            return "it may not be read";
        }
        return "it cannot be read: " + error.getMessage();
    }
}
