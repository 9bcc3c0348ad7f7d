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

/** What figures depend on besides what is measured. */
public final class Machine {
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
    private static final long MEBIBYTE = 1 << 20;

    private Machine() {}

    /**
     * {@return processor, memory, operating system, JVM and the source's commit, each by its name}
     *
     * @param directory on the disk that is measured
     * @throws IOException if it cannot be read
     */
    public static Map<String, String> describe(Path directory) throws IOException {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("Processor", processor() + ", " + Runtime.getRuntime().availableProcessors() + " available");
        all.put("Memory", memory() + " MiB, heap " + Runtime.getRuntime().maxMemory() / MEBIBYTE + " MiB");
        all.put("Disk", Files.getFileStore(directory).type());
        all.put(
                "System",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"));
        all.put("Java", System.getProperty("java.vm.name") + " " + Runtime.version());
        all.put("Commit", commit());
        return all;
    }

    /**
     * {@return name and version of the library that a class is from: its file's name}
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

    private static String processor() {
        if (!Files.isReadable(PROCESSORS)) {
            return System.getProperty("os.arch");
        }
        try (Stream<String> lines = Files.lines(PROCESSORS)) {
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
