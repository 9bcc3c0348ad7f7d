package dev.couchjobs.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The memory, disk space and time to open of a store with many rows, measured in a JVM of its own that reads some of
 * them.
 *
 * @param openMillis the time until the store was open
 * @param heapBytes the used heap after a garbage collection
 * @param residentBytes the resident memory of the process; 0 where the operating system does not report it
 * @param diskBytes the size of the files
 */
record MemoryFootprint(double openMillis, long heapBytes, long residentBytes, long diskBytes) {
    private static final int READS = 10_000;

    /** Loads the store in one JVM and measures it in another. */
    static MemoryFootprint measure(StoreKind store, long keys, Path parent) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(parent, "footprint-");
        try {
            inNewJvm("load", store, keys, directory);
            List<String> figures =
                    List.of(inNewJvm("open", store, keys, directory).split(" ", -1));
            return new MemoryFootprint(
                    Double.parseDouble(figures.get(0)),
                    Long.parseLong(figures.get(1)),
                    Long.parseLong(figures.get(2)),
                    DirectoryFiles.bytes(directory));
        } finally {
            DirectoryFiles.delete(directory);
        }
    }

    /**
     * The program of these JVMs.
     *
     * @param words the command, the store, the number of rows and the directory
     * @throws IOException if the resident memory cannot be read
     */
    public static void main(String... words) throws IOException {
        StoreKind kind = StoreKind.valueOf(words[1]);
        long keys = Long.parseLong(words[2]);
        long begin = System.nanoTime();
        try (BenchmarkStore store = kind.open(Path.of(words[3]).resolve("store"))) {
            double millis = (System.nanoTime() - begin) / (double) TimeUnit.MILLISECONDS.toNanos(1);
            if (words[0].equals("load")) {
                store.load(keys);
                return;
            }
            for (long number = 0; number < READS; number++) {
                Operation.RANGE.run(store, 0, number, keys);
            }
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            System.out.println(millis + " " + (runtime.totalMemory() - runtime.freeMemory()) + " " + resident());
        }
    }

    private static String inNewJvm(String command, StoreKind store, long keys, Path directory)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MemoryFootprint.class.getName(),
                        command,
                        store.name(),
                        Long.toString(keys),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException("Could not " + command + " " + store);
        }
        return printed.strip();
    }

    private static long resident() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return 0;
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .sum();
    }
}
