package dev.couchjobs.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Operations on whole directories. */
public final class DirectoryFiles {
    private DirectoryFiles() {}

    /**
     * Deletes a directory and its contents.
     *
     * @param directory the directory
     * @throws IOException if a part of it cannot be deleted
     */
    public static void delete(Path directory) throws IOException {
        for (Path file : files(directory)) {
            Files.deleteIfExists(file);
        }
    }

    static long bytes(Path directory) throws IOException {
        long bytes = 0;
        for (Path file : files(directory)) {
            bytes += Files.isRegularFile(file) ? Files.size(file) : 0;
        }
        return bytes;
    }

    /** The files and directories, children before their parents. */
    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.sorted(Comparator.reverseOrder()).toList();
        }
    }
}
