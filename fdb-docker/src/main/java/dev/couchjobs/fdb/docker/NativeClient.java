package dev.couchjobs.fdb.docker;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * FoundationDB's native client, copied out of an image.
 *
 * <p>fdb-java's own library is in its jar and asks the linker for {@code libfdb_c.so}. Class {@code FDB} loads what the
 * system property names before that one, and a library that is loaded answers for its name: so neither a package nor
 * {@code LD_LIBRARY_PATH} is needed.
 */
final class NativeClient {
    /** Which file class {@code FDB} loads; read once, when that class is. */
    static final String PROPERTY = "FDB_LIBRARY_PATH_FDB_C";

    static final String FILE = "libfdb_c.so";

    /** How an ELF file begins. */
    private static final int ELF = 0x7f454c46;

    /** Where it says which processors it is for: two bytes, on these machines the lower first. */
    private static final int MACHINE = 18;

    private static final Map<String, Integer> MACHINES = Map.of("amd64", 62, "x86_64", 62, "aarch64", 183);

    private NativeClient() {}

    /** {@return whether a library out of an image can be of use} Images hold those of Linux. */
    static boolean comesFromImages(String os, String architecture) {
        return os.toLowerCase(Locale.ROOT).startsWith("linux") && MACHINES.containsKey(architecture);
    }

    /** {@return where libraries are kept, on the machine that has this environment} */
    static Path cache(Map<String, String> environment, Path home) {
        return Optional.ofNullable(environment.get("XDG_CACHE_HOME"))
                .map(Path::of)
                .filter(Path::isAbsolute)
                .orElseGet(() -> home.resolve(".cache"))
                .resolve("couch-jobs")
                .resolve("foundationdb");
    }

    /**
     * Writes a library into a directory, whole or not at all, unless it is there.
     *
     * @return the file
     * @throws IllegalStateException if it is for another processor than this JVM's
     */
    static Path keep(Path directory, String architecture, Download download) throws IOException {
        Path library = directory.resolve(FILE);
        if (!Files.exists(library)) {
            Files.createDirectories(directory);
            Path part = Files.createTempFile(directory, FILE, ".part");
            try {
                download.to(part);
                check(part, architecture);
                Files.move(part, library, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(part);
            }
        }
        return library;
    }

    private static void check(Path library, String architecture) throws IOException {
        Integer expected = MACHINES.get(architecture);
        if (expected == null || machine(library) != expected) {
            throw new IllegalStateException(
                    "The image's " + FILE + " is not for this JVM, which runs on " + architecture
                            + ". Pull the image for this platform, or install FoundationDB's client and set the"
                            + " system property "
                            + PROPERTY + " to its " + FILE);
        }
    }

    /** {@return which processors an ELF file is for, or -1 for any other file} */
    private static int machine(Path library) throws IOException {
        try (InputStream in = Files.newInputStream(library)) {
            ByteBuffer head = ByteBuffer.wrap(in.readNBytes(MACHINE + Short.BYTES));
            return head.limit() < MACHINE + Short.BYTES || head.getInt(0) != ELF
                    ? -1
                    : head.order(ByteOrder.LITTLE_ENDIAN).getShort(MACHINE);
        }
    }

    /** Fetches the library into a file. */
    @FunctionalInterface
    interface Download {
        void to(Path file) throws IOException;
    }
}
