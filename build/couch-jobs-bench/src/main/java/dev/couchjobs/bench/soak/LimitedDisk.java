package dev.couchjobs.bench.soak;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/** A file system in memory of a limited size, which can be filled. Making it needs root. */
final class LimitedDisk implements AutoCloseable {
    private static final int CHUNK = 1 << 20;
    private static final int SMALLEST = 1 << 12;
    private static final int MILLIS_APART = 100;

    private final Path directory;
    private final Path ballast;

    private LimitedDisk(Path directory) {
        this.directory = directory;
        ballast = directory.resolve("ballast");
    }

    static boolean isPossible() {
        return "root".equals(System.getProperty("user.name")) && Files.isDirectory(Path.of("/proc"));
    }

    /**
     * Mounts it.
     *
     * @param directory an empty directory
     * @throws IOException if that fails, which containers may forbid to root, too
     */
    static LimitedDisk mount(Path directory, int mebibytes) throws IOException {
        run("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", directory.toString());
        return new LimitedDisk(directory);
    }

    Path directory() {
        return directory;
    }

    /** Fills it, and what becomes free meanwhile, for a time; then frees the space. */
    void fill(double seconds) throws IOException, InterruptedException {
        long end = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        try (FileChannel file = FileChannel.open(ballast, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            while (System.nanoTime() < end) {
                fill(file);
                TimeUnit.MILLISECONDS.sleep(MILLIS_APART);
            }
        } finally {
            Files.deleteIfExists(ballast);
        }
    }

    private static void fill(FileChannel file) {
        int size = CHUNK;
        while (size >= SMALLEST) {
            try {
                file.write(ByteBuffer.allocate(size));
            } catch (IOException full) {
                size /= 2;
            }
        }
    }

    private static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException(String.join(" ", command) + ": " + printed.strip());
        }
    }

    @Override
    public void close() throws IOException {
        run("umount", "-l", directory.toString());
    }
}
