package dev.couchjobs.server.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;

/** The exit statuses that the help and the pages list are those that there are. */
@Timeout(120)
@Tag("processes")
class ExitStatusTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "command-line.md");
    /** That of the database which has stopped is in {@link ServeCommandTest}. */
    private static final Map<Integer, String> SEEN_ELSEWHERE = Map.of(0, "all commands", 5, "ServeCommandTest");

    @TempDir
    private Path root;

    private static SortedSet<Integer> listed(Class<?> command) {
        return new TreeSet<>(Arrays.stream(command.getAnnotation(Command.class).exitCodeList())
                .map(line -> Integer.valueOf(line.split(":", 2)[0]))
                .toList());
    }

    private static SortedSet<Integer> ofTheCode() throws IllegalAccessException {
        SortedSet<Integer> all = new TreeSet<>(List.of(0));
        for (Field field : Failure.class.getDeclaredFields()) {
            if (field.getType() == int.class && Modifier.isStatic(field.getModifiers())) {
                all.add(field.getInt(null));
            }
        }
        return all;
    }

    @Test
    void theHelpListsTheStatusesOfTheCode() throws IllegalAccessException {
        SortedSet<Integer> listed = new TreeSet<>(listed(RootCommand.class));
        listed.addAll(listed(ServeCommand.class));
        listed.removeIf(status -> status > 128); // signals
        assertThat(listed).isEqualTo(ofTheCode());
    }

    @Test
    void thePageListsTheStatusesOfTheHelp() throws IOException {
        String page = Files.readString(PAGE);
        String row = page.lines()
                .filter(line -> line.startsWith("| of a command |") || line.startsWith("| of `serve` |"))
                .reduce("", String::concat);
        IntStream inPage = Stream.of(row.split("[^0-9]+", -1))
                .filter(number -> !number.isEmpty())
                .mapToInt(Integer::parseInt);
        SortedSet<Integer> help = new TreeSet<>(listed(RootCommand.class));
        help.addAll(listed(ServeCommand.class));
        assertThat(inPage.boxed().distinct()).containsExactlyInAnyOrderElementsOf(help);
    }

    // serve, by the script

    /** The script, which starts Java with the class path of the tests in place of the jar. */
    @BeforeEach
    void script() throws IOException {
        Files.copy(Path.of("src", "main", "dist", "couch-jobs"), root.resolve("couch-jobs"));
        Files.createFile(root.resolve("couch-jobs-server-0.jar"));
        Path java = Files.createDirectories(root.resolve("bin")).resolve("java");
        Files.writeString(java, """
                #!/bin/sh
                options=
                while [ "$1" != -jar ]; do
                  options="$options $1"
                  shift
                done
                shift 2
                exec "$REAL_JAVA" $options -cp "$REAL_CLASS_PATH" dev.couchjobs.server.ServerMain "$@"
                """);
        assertThat(java.toFile().setExecutable(true)).isTrue();
    }

    private Process start(String options, String arguments) throws IOException {
        ProcessBuilder process = new ProcessBuilder(Stream.concat(
                        Stream.of("sh", root.resolve("couch-jobs").toString()),
                        Stream.of(arguments
                                .replace("DATA", root.resolve("data").toString())
                                .split(" ", -1)))
                .toList());
        process.environment().put("JAVA_HOME", root.toString());
        process.environment()
                .put(
                        "REAL_JAVA",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString());
        process.environment().put("REAL_CLASS_PATH", System.getProperty("java.class.path"));
        process.environment().put("JAVA_OPTS", options);
        return process.redirectError(root.resolve("err").toFile()).start();
    }

    private void assertStatus(Process process, int status) throws IOException, InterruptedException {
        process.getInputStream().transferTo(OutputStream.nullOutputStream());
        assertThat(process.waitFor()).as(Files.readString(root.resolve("err"))).isEqualTo(status);
    }

    @ParameterizedTest
    @ValueSource(strings = {"serve --directory DATA --port 0", "--directory DATA --port 0"})
    void serveEndsWithTheStatusesOfItsHelp(String serve) throws IOException, InterruptedException {
        SortedSet<Integer> seen = new TreeSet<>(SEEN_ELSEWHERE.keySet());
        for (int status : List.of(130, 143)) {
            Process server = start("", serve);
            try (BufferedReader out = reader(server)) {
                String line = out.readLine();
                assertThat(line).contains("listens on");
                if (status == 130) {
                    assertStatus(start("", serve), Failure.FAILED); // it cannot start: another has the directory
                    seen.add(Failure.FAILED);
                }
                signal(server, status);
                assertThat(server.waitFor()).isEqualTo(status);
                seen.add(status);
            } finally {
                server.destroyForcibly();
            }
        }
        assertStatus(start("", serve + " --no-such-option"), Failure.USAGE);
        seen.add(Failure.USAGE);
        assertStatus(start("-Xmx10m", serve), Failure.NO_MEMORY);
        seen.add(Failure.NO_MEMORY);
        SortedSet<Integer> listed = listed(ServeCommand.class);
        listed.add(0);
        assertThat(seen).isEqualTo(listed);
    }

    private static BufferedReader reader(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Sends the signal of an exit status. */
    private static void signal(Process process, int status) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + (status - 128), process.pid() + "").start();
        assertThat(kill.waitFor()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {130, 143})
    void aCommandThatASignalEndsHasAStatusOfTheHelp(int status) throws IOException, InterruptedException {
        assertThat(listed(RootCommand.class)).contains(status);
        assertStatus(start("", "add mail 1 --directory DATA"), 0);
        Process watch = start("", "watch --json --directory DATA");
        try (BufferedReader out = reader(watch)) {
            assertThat(out.readLine()).contains("mail");
            signal(watch, status);
            assertThat(watch.waitFor()).isEqualTo(status);
        } finally {
            watch.destroyForcibly();
        }
    }
}
