package dev.couchjobs.fdb.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program in a process of its own, with the classes of this one. */
public final class JavaProgram {
    private static final int PATIENCE_S = 120;

    private JavaProgram() {}

    /**
     * Runs a program, and kills it if it hangs.
     *
     * @param options of the JVM
     * @return its exit status and what it has said
     */
    public static String run(List<String> options, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // RocksDB loads a native library, which JDK 24 and later warn of without that option.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        Path said = Files.createTempFile("couch-jobs-program-", ".log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            boolean hasEnded = process.waitFor(PATIENCE_S, TimeUnit.SECONDS);
            return (hasEnded ? process.exitValue() : "hangs") + "\n" + Files.readString(said, StandardCharsets.UTF_8);
        } finally {
            process.destroyForcibly().waitFor();
            Files.delete(said);
        }
    }
}
