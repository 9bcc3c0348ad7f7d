package dev.couchjobs.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What it takes to hold many rows, seen by a JVM that opens them and reads some.
 *
 * @param openMillis until the store was open
 * @param heapBytes in use in the heap after a collection
 * @param residentBytes of memory, as the system counts it; 0 where it does not say
 * @param diskBytes in files
 */
record MemoryFootprint(double openMillis, long heapBytes, long residentBytes, long diskBytes) {
    private static final int READS = 10_000;

    /** Loads in one JVM and measures in the next. */
    static MemoryFootprint of(StoreKind store, long keys, Path parent) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(parent, "footprint-");
        try {
            inNewJvm("load", store, keys, directory);
            List<String> measured =
                    List.of(inNewJvm("open", store, keys, directory).split(" ", -1));
            return new MemoryFootprint(
                    Double.parseDouble(measured.get(0)),
                    Long.parseLong(measured.get(1)),
                    Long.parseLong(measured.get(2)),
                    DirectoryFiles.bytes(directory));
        } finally {
            DirectoryFiles.delete(directory);
        }
    }

    /**
     * What such a JVM does.
     *
     * @param words what to do, the store, the number of rows and the directory
     * @throws IOException if the system cannot be asked
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
                BenchmarkRow.RANGE.run(store, 0, number, keys);
            }
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            System.out.println(millis + " " + (runtime.totalMemory() - runtime.freeMemory()) + " " + resident());
        }
    }

    private static String inNewJvm(String what, StoreKind store, long keys, Path directory)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MemoryFootprint.class.getName(),
                        what,
                        store.name(),
                        Long.toString(keys),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException("Could not " + what + " " + store);
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
