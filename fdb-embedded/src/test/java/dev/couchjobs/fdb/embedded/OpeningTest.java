package dev.couchjobs.fdb.embedded;

import static dev.couchjobs.fdb.embedded.Keys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a user is told who opens a directory that cannot be opened; and that it has cost nothing. */
class OpeningTest {
    @TempDir
    private Path temporary;

    private Path directory;

    @BeforeEach
    void makeDatabase() {
        directory = temporary.resolve("some/where/db");
        try (Database database = EmbeddedDatabase.open(directory)) {
            database.run(tr -> {
                tr.set(key("a"), key("1"));
                return true;
            });
        }
    }

    @Test
    void whatIsOpenAlreadyIsRefusedWithTheNameOfTheHolder() {
        try (Database database = EmbeddedDatabase.open(directory)) {
            assertThatThrownBy(() -> EmbeddedDatabase.open(directory))
                    .isInstanceOf(DirectoryInUseException.class)
                    .hasMessageContaining(directory.toString());
            assertThat(valueIn(database)).isEqualTo(key("1"));
        }
        assertItIsAllThere();
    }

    @Test
    void versionsGoOnAfterTheOneThatIsGivenAndStayThere() {
        long after = 1L << 50;
        try (Database database = EmbeddedDatabase.openAfter(directory, after)) {
            assertThat(versionOf(database)).isGreaterThan(after);
            assertThat(valueIn(database)).isEqualTo(key("1"));
        }
        try (Database database = EmbeddedDatabase.openAfter(directory, 7)) {
            assertThat(versionOf(database)).isGreaterThan(after);
        }
        assertThatThrownBy(() -> EmbeddedDatabase.openAfter(directory, Long.MAX_VALUE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2^62");
        assertItIsAllThere();
    }

    private static long versionOf(Database database) {
        return database.read(tr -> tr.getReadVersion().join());
    }

    @Test
    void whatAnotherVersionHasMadeIsRefused() throws IOException {
        Path format = directory.resolve("FORMAT");
        String written = Files.readString(format);
        Files.writeString(format, written.replace("fdb-embedded 1", "fdb-embedded 7"));
        assertThatThrownBy(() -> EmbeddedDatabase.open(directory))
                .isInstanceOf(UnknownFormatException.class)
                .hasMessageContaining("7");
        Files.writeString(format, written);
        assertItIsAllThere();
    }

    @Test
    void aDirectoryOfSomethingElseIsLeftAlone() throws IOException {
        Path other = Files.createDirectories(temporary.resolve("photos"));
        Files.writeString(other.resolve("cat.jpg"), "miaow");
        assertThatThrownBy(() -> EmbeddedDatabase.open(other)).isInstanceOf(UnknownFormatException.class);
        assertThat(names(other)).containsExactly("cat.jpg");
    }

    @Test
    void aLogThatWasCutOffIsRefusedByName() throws IOException {
        Path log = anyLog();
        byte[] whole = Files.readAllBytes(log);
        try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
            channel.truncate(whole.length / 2);
        }
        assertThatThrownBy(() -> EmbeddedDatabase.open(directory))
                .isInstanceOf(CorruptStorageException.class)
                .hasMessageContaining(log.getFileName().toString());
        Files.write(log, whole);
        assertItIsAllThere();
    }

    @Test
    void aByteThatHasChangedInTheLogIsRefusedWithItsPlace() throws IOException {
        Path log = anyLog();
        byte[] whole = Files.readAllBytes(log);
        try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {(byte) ~whole[520]}), 520);
        }
        assertThatThrownBy(() -> EmbeddedDatabase.open(directory))
                .isInstanceOf(CorruptStorageException.class)
                .hasMessageContaining("byte");
        Files.write(log, whole);
        assertItIsAllThere();
    }

    @Test
    void aFileInThePlaceOfTheDirectoryIsRefused() throws IOException {
        Path file = Files.writeString(temporary.resolve("file"), "text");
        assertThatThrownBy(() -> EmbeddedDatabase.open(file))
                .isInstanceOf(DirectoryNotWritableException.class)
                .hasMessageContaining(file.toString());
    }

    private void assertItIsAllThere() {
        try (Database database = EmbeddedDatabase.open(directory)) {
            assertThat(valueIn(database)).isEqualTo(key("1"));
        }
    }

    private static byte[] valueIn(Database database) {
        return database.run(tr -> tr.get(key("a")).join());
    }

    private Path anyLog() throws IOException {
        return directory.resolve("log").resolve(names(directory.resolve("log")).get(0));
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
