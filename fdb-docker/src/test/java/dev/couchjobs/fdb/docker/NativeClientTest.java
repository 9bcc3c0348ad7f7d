package dev.couchjobs.fdb.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NativeClientTest {
    private static final Path HOME = Path.of("/home/ada");

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, true",
        "Linux, x86_64, true",
        "Linux, aarch64, true",
        "Linux, ppc64le, false",
        "Mac OS X, aarch64, false",
        "Windows 11, amd64, false"
    })
    void imagesHaveTheLibraryOfSomeMachines(String os, String architecture, boolean comes) {
        assertThat(NativeClient.comesFromImages(os, architecture)).isEqualTo(comes);
    }

    @Test
    void cache_isWhereTheUserHasIt() {
        assertThat(NativeClient.cache(Map.of("XDG_CACHE_HOME", "/var/cache/ada"), HOME))
                .isEqualTo(Path.of("/var/cache/ada/couch-jobs/foundationdb"));
    }

    @Test
    void cache_isInTheHomeDirectoryOtherwise() {
        Path expected = HOME.resolve(".cache/couch-jobs/foundationdb");
        assertThat(NativeClient.cache(Map.of(), HOME)).isEqualTo(expected);
        assertThat(NativeClient.cache(Map.of("XDG_CACHE_HOME", "relative"), HOME))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"amd64, 62", "x86_64, 62", "aarch64, 183"})
    void libraryOfThisMachine_isKept(String architecture, int machine) throws IOException {
        Path library = NativeClient.keep(directory.resolve("image"), architecture, file -> write(file, machine));

        assertThat(library).isEqualTo(directory.resolve("image/libfdb_c.so")).isNotEmptyFile();
        assertThat(library.getParent()).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void libraryThatIsThere_isNotFetchedAgain() throws IOException {
        NativeClient.keep(directory, "amd64", file -> write(file, 62));

        Path library = NativeClient.keep(directory, "amd64", file -> {
            throw new AssertionError("fetched again");
        });
        assertThat(library).isNotEmptyFile();
    }

    @Test
    void libraryOfAnotherMachine_isRefusedAndNotKept() {
        assertThatIllegalStateException()
                .isThrownBy(() -> NativeClient.keep(directory, "aarch64", file -> write(file, 62)))
                .withMessageContaining("aarch64")
                .withMessageContaining("FDB_LIBRARY_PATH_FDB_C");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void fileThatIsNoLibrary_isRefusedAndNotKept() {
        assertThatIllegalStateException()
                .isThrownBy(() -> NativeClient.keep(directory, "amd64", file -> Files.writeString(file, "404")));
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void fetchThatBreaks_leavesNothing() {
        assertThatIOException()
                .isThrownBy(() -> NativeClient.keep(directory, "amd64", file -> {
                    write(file, 62);
                    throw new IOException("broken off");
                }))
                .withMessage("broken off");
        assertThat(directory).isEmptyDirectory();
    }

    private static void write(Path file, int machine) throws IOException {
        byte[] elf = new byte[64];
        elf[0] = 0x7f;
        elf[1] = 'E';
        elf[2] = 'L';
        elf[3] = 'F';
        elf[18] = (byte) machine;
        Files.write(file, elf);
    }
}
