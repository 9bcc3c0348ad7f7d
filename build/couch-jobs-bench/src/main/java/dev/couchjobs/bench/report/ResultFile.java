package dev.couchjobs.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Writes result files. */
public final class ResultFile {
    private ResultFile() {}

    /**
     * Writes a file, and replaces an existing one.
     *
     * @param path the file; its directory is created if it does not exist
     * @param text the content of the file
     * @throws IOException if it cannot be written
     */
    public static void write(Path path, String text) throws IOException {
        Files.createDirectories(Objects.requireNonNull(path.toAbsolutePath().getParent()));
        Files.writeString(path, text);
    }
}
