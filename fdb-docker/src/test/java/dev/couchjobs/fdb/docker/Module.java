package dev.couchjobs.fdb.docker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The files of this module, as they are checked out, and the versions that the pom pins. */
final class Module {
    static final Path ROOT = Path.of("").toAbsolutePath();
    static final Path IMAGE = ROOT.resolve("image");

    private Module() {}

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return a YAML file, whose keys are all different} */
    static Map<String, Object> yaml(String file) {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        return new Yaml(new SafeConstructor(options)).load(read(ROOT.resolve(file)));
    }

    static Stream<Path> scripts() {
        try (Stream<Path> files = Files.list(IMAGE)) {
            return files.filter(file -> file.getFileName().toString().startsWith("fdb-")).sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return FoundationDB's version, as the parent pom has it} */
    static String serverVersion() {
        return property("foundationdb.version");
    }

    static String property(String name) {
        return Objects.requireNonNull(System.getProperty(name), name);
    }
}
