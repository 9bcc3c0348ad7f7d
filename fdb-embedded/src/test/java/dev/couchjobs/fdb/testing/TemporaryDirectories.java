package dev.couchjobs.fdb.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Directories for databases on disk; all are gone when the tests have run. */
public final class TemporaryDirectories {

    private static final Path ROOT = makeRoot();

    private TemporaryDirectories() {}

    /** A directory that nobody else uses, and that is empty. */
    public static Path fresh() {
        try {
            return Files.createTempDirectory(ROOT, "database-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path makeRoot() {
        try {
            Path root = Files.createTempDirectory("fdb-embedded-");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(root)));
            return root;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void remove(Path root) {
        try (Stream<Path> files = Files.walk(root)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
