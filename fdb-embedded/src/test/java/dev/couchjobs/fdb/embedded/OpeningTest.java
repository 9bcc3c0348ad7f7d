package dev.couchjobs.fdb.embedded;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

    /** The jobs compare clocks by versions: samples from before the close no longer count. */
    @Test
    void versionsBeginMuchLaterThanTheyEnded() {
        long before;
        try (Database database = EmbeddedDatabase.open(directory)) {
            before = versionOf(database);
        }
        try (Database database = EmbeddedDatabase.open(directory)) {
            assertThat(versionOf(database)).isGreaterThan(before + 30L * 60 * 1_000_000);
        }
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

    @Test
    void anotherDatabaseThatHasTakenItsPlaceIsLeftAlone() throws IOException {
        Path other = temporary.resolve("other");
        try (Database made = EmbeddedDatabase.open(other)) {
            set(made, "2");
        }
        Database first = EmbeddedDatabase.open(directory);
        set(first, "3");
        Files.move(directory, temporary.resolve("moved"));
        Files.move(other, directory);
        Map<String, String> files = contents(directory);

        assertThatThrownBy(() -> set(first, "4")).hasMessageContaining("removed or replaced");
        assertThatThrownBy(first::close)
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("removed or replaced");
        assertThat(contents(directory)).isEqualTo(files);
        Files.move(directory, other);
        try (Database second = EmbeddedDatabase.open(other)) {
            assertThat(valueIn(second)).isEqualTo(key("2"));
        }
    }

    @Test
    void aDirectoryThatWasRemovedIsNotMadeAgain() throws IOException {
        Database database = EmbeddedDatabase.open(directory);
        Files.move(directory, temporary.resolve("moved"));
        assertThatThrownBy(() -> set(database, "2")).hasMessageContaining("removed or replaced");
        assertThatThrownBy(database::close).isInstanceOf(StorageException.class);
        assertThat(directory).doesNotExist();
    }

    @Test
    void anInterruptIsNotBlamedOnTheDisk() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> EmbeddedDatabase.open(directory))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("interrupted")
                    .hasMessageNotContaining("disk");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertItIsAllThere();
    }

    @Test
    void theParentOfALinkIsThatOfItsTarget() throws IOException {
        Path target = Files.createDirectories(temporary.resolve("there/target"));
        Path here = Files.createDirectories(temporary.resolve("here"));
        Files.createSymbolicLink(here.resolve("link"), target);
        EmbeddedDatabase.open(here.resolve("link/../db")).close();
        EmbeddedDatabase.open(here.resolve("./new/../plain")).close();
        assertThat(names(temporary.resolve("there"))).containsExactly("db", "target");
        assertThat(names(here)).containsExactly("link", "plain");
    }

    private static void set(Database database, String value) {
        database.run(tr -> {
            tr.set(key("a"), key(value));
            return true;
        });
    }

    /** The bytes of every file, but not the names of who has been there. */
    private static Map<String, String> contents(Path directory) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(file.toString(), HexFormat.of().formatHex(Files.readAllBytes(file)));
            }
        }
        return contents;
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
