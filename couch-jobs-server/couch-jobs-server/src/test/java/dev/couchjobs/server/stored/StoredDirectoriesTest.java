package dev.couchjobs.server.stored;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What each released version has written is read by this one, and its work goes on. */
@Timeout(120)
class StoredDirectoriesTest {
    private static final Path ARCHIVES = Path.of("src/test/resources/stored");

    @TempDir
    Path directory;

    static List<Path> archives() throws IOException {
        try (Stream<Path> files = Files.list(ARCHIVES)) {
            return files.sorted().toList();
        }
    }

    /** A release keeps what it writes: {@code -Dstored.version=1.0.0} adds the archive of that version. */
    @Test
    void whatThisVersionWritesItReads() throws IOException {
        StoredSample.write(directory.resolve("jobs"));
        String version = System.getProperty("stored.version");
        if (version != null) {
            zip(directory.resolve("jobs"), ARCHIVES.resolve(version + ".zip"));
        }

        StoredSample.check(directory.resolve("jobs"));
    }

    @ParameterizedTest
    @MethodSource("archives")
    void whatAnEarlierVersionHasWrittenGoesOn(Path archive) throws IOException {
        unzip(archive, directory);

        StoredSample.check(directory);
    }

    private static void zip(Path directory, Path archive) throws IOException {
        try (OutputStream out = Files.newOutputStream(archive);
                ZipOutputStream zip = new ZipOutputStream(out);
                Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                zip.putNextEntry(new ZipEntry(directory.relativize(file).toString()));
                Files.copy(file, zip);
            }
        }
    }

    private static void unzip(Path archive, Path target) throws IOException {
        try (InputStream in = Files.newInputStream(archive);
                ZipInputStream zip = new ZipInputStream(in)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path file = target.resolve(entry.getName());
                assertThat(file.normalize()).startsWithRaw(target);
                Files.createDirectories(file.getParent());
                Files.copy(zip, file);
            }
        }
    }
}
