package dev.couchjobs.bench.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** Describes the machine of a run. */
public final class Machine {
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
    private static final long MEBIBYTE = 1 << 20;

    private Machine() {}

    /**
     * {@return CPU, memory, operating system, JVM and the source's commit, each by its name}
     *
     * @param directory a directory on the disk to measure
     * @throws IOException if it cannot be read
     */
    public static Map<String, String> describe(Path directory) throws IOException {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("CPU", cpu() + ", " + Runtime.getRuntime().availableProcessors() + " available");
        properties.put("Memory", memory() + " MiB, heap " + Runtime.getRuntime().maxMemory() / MEBIBYTE + " MiB");
        properties.put("Disk", Files.getFileStore(directory).type());
        properties.put(
                "System",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"));
        properties.put("Java", System.getProperty("java.vm.name") + " " + Runtime.version());
        properties.put("Commit", commit());
        return properties;
    }

    /**
     * {@return the name and version of the library of a class, from the name of its JAR file}
     *
     * @param type the class
     */
    public static String library(Class<?> type) {
        try {
            Path file = Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
            return String.valueOf(file.getFileName()).replaceFirst("\\.jar$", "");
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String cpu() {
        if (!Files.isReadable(CPU_INFO)) {
            return System.getProperty("os.arch");
        }
        try (Stream<String> lines = Files.lines(CPU_INFO)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long memory() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getTotalMemorySize() / MEBIBYTE
                : 0;
    }

    private static String commit() {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty", "--abbrev=12")
                    .redirectErrorStream(true)
                    .start();
            String printed = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 ? printed : "unknown";
        } catch (IOException e) {
            return "unknown";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "unknown";
        }
    }
}
