package dev.couchjobs.fdb.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Where the project is, for the tests of all modules. */
public final class Project {
    private Project() {}

    /** {@return the root of the project, above the module whose tests run} */
    public static Path root() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve("mvnw"))) {
            directory = Objects.requireNonNull(directory.getParent(), "the root of the project has mvnw");
        }
        return directory;
    }
}
