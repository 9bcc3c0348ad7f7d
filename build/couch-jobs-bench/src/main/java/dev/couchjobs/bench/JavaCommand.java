package dev.couchjobs.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The command that starts a program of this class path in a JVM of its own. */
public final class JavaCommand {
    private JavaCommand() {}

    /**
     * {@return the command, without the arguments of the program}
     *
     * <p>The tests, which measure nothing, set {@code bench.jvm} to options with which a JVM starts sooner.
     *
     * @param program the class with the main method
     * @param heap the largest heap, as {@code -Xmx} takes it
     */
    public static List<String> of(Class<?> program, String heap) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap,
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--sun-misc-unsafe-memory-access=allow"));
        Arrays.stream(System.getProperty("bench.jvm", "").split(" "))
                .filter(option -> !option.isEmpty())
                .forEach(command::add);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        return command;
    }
}
