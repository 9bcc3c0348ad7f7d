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
    private static final String UNKNOWN = "unknown";
    private static final long MEBIBYTE = 1 << 20;

    private Machine() {}

    /**
     * {@return CPU, memory, operating system, JVM and the source's commit, each by its name; what the system does not
     * tell is unknown}
     *
     * @param directory a directory on the disk to measure
     */
    public static Map<String, String> describe(Path directory) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("CPU", cpu() + ", " + Runtime.getRuntime().availableProcessors() + " available");
        properties.put("Memory", memory() + " MiB, heap " + Runtime.getRuntime().maxMemory() / MEBIBYTE + " MiB");
        properties.put("Disk", disk(directory));
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
        try (Stream<String> lines = Files.lines(CPU_INFO)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException | UncheckedIOException e) {
            return System.getProperty("os.arch");
        }
    }

    private static long memory() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getTotalMemorySize() / MEBIBYTE
                : 0;
    }

    /** A root that is no mount of its own, such as that of chroot, has no file store. */
    private static String disk(Path directory) {
        try {
            return Files.getFileStore(directory).type();
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    private static String commit() {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty", "--abbrev=12")
                    .redirectErrorStream(true)
                    .start();
            String printed = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 ? printed : UNKNOWN;
        } catch (IOException e) {
            return UNKNOWN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        }
    }
}
