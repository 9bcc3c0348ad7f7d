package dev.couchjobs.fdb.internal.base;

import dev.couchjobs.fdb.embedded.StorageException;
import java.nio.file.Path;
import org.rocksdb.RocksDB;

/** RocksDB's native code, which its jar brings for the usual platforms and unpacks when it is first asked for. */
public final class NativeLibrary {
    private NativeLibrary() {}

    /** Fails if RocksDB is left out of the class path, as an application may do that has its data on a cluster. */
    public static void requireClasses(Path directory) {
        try {
            Class.forName("org.rocksdb.RocksDB", false, NativeLibrary.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new StorageException(
                    "RocksDB is not on the class path: a database in a directory needs the dependency"
                            + " org.rocksdb:rocksdbjni.",
                    directory,
                    e);
        }
    }

    static void load(Path directory) {
        load(directory, RocksDB::loadLibrary);
    }

    /**
     * RocksDB starts a program to learn which C library there is. On Java 17 the thread of the JDK that waits for
     * programs keeps the context class loader for a minute, so it must not be that of an application.
     */
    static void load(Path directory, Runnable loader) {
        Thread thread = Thread.currentThread();
        ClassLoader application = thread.getContextClassLoader();
        thread.setContextClassLoader(null);
        try {
            loader.run();
        } catch (UnsatisfiedLinkError | NoClassDefFoundError | RuntimeException e) {
            throw new StorageException(
                    """
                    RocksDB's native library, without which nothing can be kept on disk, does not load on %s %s: %s. \
                    It is unpacked into %s, which has to be writable and must not be mounted noexec; the environment \
                    variable ROCKSDB_SHAREDLIB_DIR names another directory. \
                    EmbeddedDatabase.openInMemory() does without it.""".formatted(
                                    System.getProperty("os.name"),
                                    System.getProperty("os.arch"),
                                    e,
                                    System.getProperty("java.io.tmpdir")),
                    directory,
                    e);
        } finally {
            thread.setContextClassLoader(application);
        }
    }
}
