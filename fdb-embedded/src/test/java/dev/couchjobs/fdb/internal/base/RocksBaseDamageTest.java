package dev.couchjobs.fdb.internal.base;

import static dev.couchjobs.fdb.internal.base.BaseText.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.fdb.embedded.CorruptStorageException;
import dev.couchjobs.fdb.embedded.StorageException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing that was durable goes away without an error. */
class RocksBaseDamageTest {
    private static final int KEYS = 2000;

    @TempDir
    Path directory;

    @BeforeEach
    void twoFlushes() {
        try (Base base = open()) {
            base.apply(1, many("first"));
            base.makeDurable();
            base.apply(2, many("second"));
            base.makeDurable();
        }
    }

    @Test
    void aMissingTableIsFoundOnOpening() throws IOException {
        Files.delete(only("*.sst"));
        assertThatThrownBy(this::open)
                .isInstanceOf(CorruptStorageException.class)
                .hasMessageContaining(directory.toString())
                .hasMessageContaining("backup");
    }

    @Test
    void aTruncatedTableIsFoundOnOpening() throws IOException {
        truncate(only("*.sst"), 2);
        assertThatThrownBy(this::open).isInstanceOf(CorruptStorageException.class);
    }

    @Test
    void aTableWithAWrongByteIsFoundWhenItIsRead() throws IOException {
        Path table = only("*.sst");
        byte[] content = Files.readAllBytes(table);
        content[content.length / 3] ^= 1;
        Files.write(table, content);
        assertThatThrownBy(() -> {
                    try (Base base = open()) {
                        BaseText.of(base);
                    }
                })
                .isInstanceOf(CorruptStorageException.class);
    }

    @Test
    void aShorterManifestIsEitherFoundOnOpeningOrWasLongEnough() throws IOException {
        Path manifest = only("MANIFEST-*");
        byte[] whole = Files.readAllBytes(manifest);
        int found = 0;
        for (int length = 0; length < whole.length; length += 1 + whole.length / 40) {
            Path copy = copyOfDirectory("truncated-to-" + length);
            Files.write(copy.resolve(manifest.getFileName()), Arrays.copyOf(whole, length));
            try (Base base = RocksBase.open(copy, BaseSettings.DEFAULT)) {
                assertThat(base.version()).isEqualTo(2);
                assertThat(BaseText.of(base)).hasSize(KEYS).containsEntry("key00007", "second7");
            } catch (CorruptStorageException e) {
                found++;
            }
        }
        assertThat(found).isGreaterThan(20);
    }

    @Test
    void aMissingManifestIsFoundOnOpening() throws IOException {
        Files.delete(only("MANIFEST-*"));
        assertThatThrownBy(this::open).isInstanceOf(CorruptStorageException.class);
    }

    @Test
    void aMissingPointerToTheManifestIsNotTakenForANewStore() throws IOException {
        Files.delete(only("CURRENT"));
        assertThatThrownBy(this::open).isInstanceOf(CorruptStorageException.class);
    }

    @Test
    void aMissingOrDamagedMarkIsFoundOnOpening() throws IOException {
        Path mark = only("durable-version");
        Files.writeString(mark, Files.readString(mark).replace("durable 2", "durable 1"));
        assertThatThrownBy(this::open).isInstanceOf(CorruptStorageException.class);
        Files.delete(mark);
        assertThatThrownBy(this::open).isInstanceOf(CorruptStorageException.class);
    }

    @Test
    void aCreationThatWasInterruptedIsTakenUpAgain() throws IOException {
        Path fresh = Files.createDirectories(directory.resolve("fresh"));
        Files.writeString(fresh.resolve("durable-version.new"), "half");
        RocksBase.open(fresh, BaseSettings.DEFAULT).close();
        Files.delete(fresh.resolve("CURRENT"));
        Files.delete(only(fresh, "*.log"));
        try (Base base = RocksBase.open(fresh, BaseSettings.DEFAULT)) {
            assertThat(base.version()).isZero();
        }
    }

    @Test
    void aDirectoryIsOpenOnlyOnce() {
        try (Base base = open()) {
            assertThatThrownBy(this::open).isInstanceOf(StorageException.class).hasMessageContaining("lock");
            assertThat(base.version()).isEqualTo(2);
        }
    }

    @Test
    void aFileInTheWayIsNamed() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> RocksBase.open(file, BaseSettings.DEFAULT))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void aNativeLibraryThatDoesNotLoadIsExplained() {
        assertThatThrownBy(() -> NativeLibrary.load(directory, () -> {
                    throw new UnsatisfiedLinkError("wrong ELF class");
                }))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("wrong ELF class")
                .hasMessageContaining("ROCKSDB_SHAREDLIB_DIR");
    }

    private Base open() {
        return RocksBase.open(directory, BaseSettings.DEFAULT);
    }

    private Path only(String glob) throws IOException {
        return only(directory, glob);
    }

    private static Path only(Path directory, String glob) throws IOException {
        try (var files = Files.newDirectoryStream(directory, glob)) {
            return files.iterator().next();
        }
    }

    private Path copyOfDirectory(String name) throws IOException {
        Path copy = Files.createDirectory(directory.resolve(name));
        try (Stream<Path> files = Files.list(directory).filter(Files::isRegularFile)) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        return copy;
    }

    private static void truncate(Path file, int divisor) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() / divisor);
        }
    }

    private static List<BaseMutation> many(String value) {
        List<BaseMutation> mutations = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            mutations.add(BaseMutation.put(bytes("key%05d".formatted(i)), bytes(value + i)));
        }
        return mutations;
    }
}
