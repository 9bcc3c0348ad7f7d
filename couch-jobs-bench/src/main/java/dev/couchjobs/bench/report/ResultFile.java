package dev.couchjobs.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** A file with results. */
public final class ResultFile {
    private ResultFile() {}

    /**
     * Writes one.
     *
     * @param path where to; its directory is made if it is not there, and what was there before is replaced
     * @param text all of it
     * @throws IOException if it cannot be written
     */
    public static void write(Path path, String text) throws IOException {
        Files.createDirectories(Objects.requireNonNull(path.toAbsolutePath().getParent()));
        Files.writeString(path, text);
    }
}
