package dev.couchjobs.bench.jobs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * Measures the costs of jobs in a JVM of its own. In it the thread that runs waits for the compilers, so a busy machine
 * does not delay compiled code, which allocates less.
 */
final class CostProcess {
    private static final List<String> JVM_OPTIONS = List.of(
            "-Xbatch",
            "-XX:+UseSerialGC",
            "-Xms1g",
            "-Xmx1g",
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+IgnoreUnrecognizedVMOptions",
            "--sun-misc-unsafe-memory-access=allow");

    /** The compilers of the JVM. */
    enum Compilers {
        /** As on a server. */
        ALL,
        /** Without the one that removes allocations: the figures are higher, and final after seconds. */
        FIRST
    }

    private CostProcess() {}

    /**
     * Starts the JVM and waits for the figures.
     *
     * @param compilers the compilers of the JVM
     * @param directory the directory of the databases
     */
    static List<StepCosts> measure(Compilers compilers, Path directory) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM_OPTIONS);
        if (compilers == Compilers.FIRST) {
            command.add("-XX:TieredStopAtLevel=1");
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), CostProcess.class.getName()));
        command.addAll(List.of(compilers.name(), directory.toString()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException("The costs could not be measured");
        }
        return List.of(JsonMapper.shared().readValue(printed, StepCosts[].class));
    }

    /**
     * The program of that JVM.
     *
     * @param words the compilers of this JVM, and the directory
     * @throws IOException if a file cannot be written
     */
    public static void main(String... words) throws IOException {
        CostRun.Lengths lengths = words[0].equals(Compilers.ALL.name()) ? CostRun.Lengths.LONG : CostRun.Lengths.SHORT;
        List<StepCosts> costs = new CostRun(lengths, Path.of(words[1])).measure();
        System.out.println(JsonMapper.shared().writeValueAsString(costs));
    }
}
