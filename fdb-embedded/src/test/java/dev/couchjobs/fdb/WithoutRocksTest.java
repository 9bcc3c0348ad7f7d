package dev.couchjobs.fdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application that excludes RocksDB, as it has its data on a cluster. */
class WithoutRocksTest {
    private final URLClassLoader classes = new URLClassLoader(
            Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                    .filter(entry -> !entry.contains("rocksdbjni"))
                    .map(WithoutRocksTest::url)
                    .toArray(URL[]::new),
            ClassLoader.getPlatformClassLoader());

    private static URL url(String entry) {
        try {
            URI file = Path.of(entry).toUri();
            return file.toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(entry, e);
        }
    }

    @AfterEach
    void closeClasses() throws Exception {
        classes.close();
    }

    private Class<?> databases() throws ClassNotFoundException {
        assertThatThrownBy(() -> classes.loadClass("org.rocksdb.RocksDB")).isInstanceOf(ClassNotFoundException.class);
        return classes.loadClass(Databases.class.getName());
    }

    @Test
    void aDatabaseInMemoryOpens() throws Exception {
        try (AutoCloseable database =
                (AutoCloseable) databases().getMethod("inMemory").invoke(null)) {
            assertThat(database).isNotNull();
        }
    }

    @Test
    void aDirectorySaysWhatIsMissing(@TempDir Path directory) throws Exception {
        var open = databases().getMethod("directory", Path.class);

        assertThatThrownBy(() -> open.invoke(null, directory.resolve("jobs")))
                .isInstanceOf(InvocationTargetException.class)
                .cause()
                .hasToString("dev.couchjobs.fdb.embedded.StorageException: RocksDB is not on the class path: a database"
                        + " in a directory needs the dependency org.rocksdb:rocksdbjni.");
    }
}
