package dev.couchjobs.fdb.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.fdb.embedded.CorruptStorageException;
import dev.couchjobs.fdb.embedded.DirectoryInUseException;
import dev.couchjobs.fdb.embedded.DirectoryNotWritableException;
import dev.couchjobs.fdb.embedded.UnknownFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseDirectoryTest {
    @TempDir
    Path parent = Path.of("");

    @Test
    void whatIsNotThereIsMadeWithItsParents() throws IOException {
        try (DatabaseDirectory directory = open("a/b/c")) {
            assertThat(directory.base()).isEmptyDirectory();
        }
        assertThat(names("a/b/c")).containsExactly("FORMAT", "LOCK", "base", "log");
        assertThat(Files.readAllLines(parent.resolve("a/b/c/FORMAT"))).startsWith("fdb-embedded 1");
    }

    @Test
    void theLogIsThereAgainWhenItIsReopened() {
        try (DatabaseDirectory directory = open("data");
                CommitLog log = directory.openLog(0, Runnable::run, new Records())) {
            log.append(1, ByteBuffer.wrap(new byte[] {7}));
        }
        Records records = new Records();
        try (DatabaseDirectory directory = open("data")) {
            directory.openLog(0, Runnable::run, records).close();
        }
        assertThat(records.list()).containsExactly(Records.text(1, new byte[] {7}));
    }

    @Test
    void aSecondOpenerInThisProcessIsRefusedUntilTheFirstHasClosed() {
        DatabaseDirectory first = open("data");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> open("data"))
                    .isInstanceOf(DirectoryInUseException.class)
                    .hasMessageContaining("this very process");
        }
        first.close();
        open("data").close();
    }

    @Test
    void anotherProcessIsNamedUntilItEnds() throws Exception {
        Path path = parent.resolve("data");
        DirectoryHolder holder = DirectoryHolder.start(path);
        try {
            assertThat(holder.answer()).isEqualTo(path.resolve("base").toString());
            assertThatThrownBy(() -> open("data"))
                    .isInstanceOf(DirectoryInUseException.class)
                    .hasMessageContaining(
                            "in use by process " + holder.process().pid() + ", started ")
                    .hasMessageContaining(DirectoryHolder.class.getName());
        } finally {
            holder.process().destroyForcibly().waitFor();
        }
        open("data").close();
    }

    @Test
    void theLockOutlivesASecondOpenerInThisProcess() throws Exception {
        DatabaseDirectory directory = open("data");
        assertThatThrownBy(() -> open("data")).isInstanceOf(DirectoryInUseException.class);
        DirectoryHolder other = DirectoryHolder.start(parent.resolve("data"));
        assertThat(other.answer())
                .contains("in use by process " + ProcessHandle.current().pid());
        directory.close();
        assertThat(other.process().waitFor()).isZero();
    }

    @Test
    void aDirectoryOfSomethingElseIsLeftAlone() throws IOException {
        Files.createDirectories(parent.resolve("data/photos"));
        assertThatThrownBy(() -> open("data"))
                .isInstanceOf(UnknownFormatException.class)
                .hasMessageContaining(parent.resolve("data").toString());
        assertThat(names("data")).containsExactly("photos");
    }

    @Test
    void anotherVersionIsRefusedAndBothAreNamed() throws IOException {
        open("data").close();
        Files.writeString(parent.resolve("data/FORMAT"), "fdb-embedded 2\n");
        assertThatThrownBy(() -> open("data"))
                .isInstanceOf(UnknownFormatException.class)
                .hasMessageContaining("fdb-embedded 1")
                .hasMessageContaining("fdb-embedded 2");
    }

    @Test
    void aMissingPartIsDamage() throws IOException {
        for (String part : List.of("log", "base")) {
            open(part).close();
            try (Stream<Path> files = Files.walk(parent.resolve(part).resolve(part))) {
                for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                    Files.delete(file);
                }
            }
            assertThatThrownBy(() -> open(part))
                    .isInstanceOf(CorruptStorageException.class)
                    .hasMessageContaining("its part " + part + " is missing");
        }
    }

    @Test
    void aFileIsNoDirectory() throws IOException {
        Files.writeString(parent.resolve("data"), "x");
        assertThatThrownBy(() -> open("data")).isInstanceOf(DirectoryNotWritableException.class);
        assertThatThrownBy(() -> open("data/below")).isInstanceOf(DirectoryNotWritableException.class);
    }

    private DatabaseDirectory open(String name) {
        return DatabaseDirectory.open(parent.resolve(name), new SystemFiles(), 1 << 14);
    }

    private List<String> names(String name) throws IOException {
        return new SystemFiles().list(parent.resolve(name));
    }
}
