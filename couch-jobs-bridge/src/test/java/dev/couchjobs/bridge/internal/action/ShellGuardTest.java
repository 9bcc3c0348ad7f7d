package dev.couchjobs.bridge.internal.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.document.ActionPlan;
import dev.couchjobs.bridge.testing.TestClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands after the end of the bridge, and without a program that creates groups. */
@Timeout(60)
class ShellGuardTest {
    private static final Duration GRACE = Duration.ofSeconds(1);

    @TempDir
    Path directory;

    @BeforeEach
    void makePipe() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", directory.resolve("held").toString())
                        .start()
                        .waitFor())
                .isZero();
    }

    /** A bridge that only runs one command. */
    static final class LonelyBridge {
        private LonelyBridge() {}

        public static void main(String[] arguments) {
            var unused = actions(arguments[0], System.getenv("PATH"), Environment.system())
                    .of(shell(arguments[1]))
                    .run(new ActionContext("job", 0, "alpha", 1, Optional.empty()))
                    .join();
        }
    }

    @Test
    void whenTheBridgeIsKilledItsCommandsAreEnded() throws Exception {
        Process bridge = lonelyBridge("exec 9> held; sleep 1000 & sleep 1000");
        InputStream held = held();
        bridge.destroyForcibly();

        assertThatAllHaveEnded(held);
    }

    @Test
    void whenTheBridgeIsKilledCommandsThatDoNotHeedTermAreKilledAfterTheGrace() throws Exception {
        Process bridge = lonelyBridge("trap '' TERM; exec 9> held; sleep 1000; sleep 1000");
        InputStream held = held();
        bridge.destroyForcibly();

        assertThatAllHaveEnded(held);
    }

    @Test
    void whereThereAreNoGroupsACommandIsEndedProcessByProcess() throws Exception {
        Path programs = Files.createDirectory(directory.resolve("bin"));
        Files.createSymbolicLink(programs.resolve("sleep"), program("sleep"));
        ManualTimers timers = new ManualTimers();
        CompletableFuture<ActionResult> result = actions(
                        directory.toString(), programs.toString(), timers.environment())
                .of(shell("echo begun; exec 9> held; sleep 1000 & sleep 1000 & echo both >&9; wait"))
                .run(new ActionContext("job", 0, "alpha", 1, Optional.of(Duration.ofSeconds(5))));
        InputStream held = held();
        // Without a group, a process that starts while its parent is being ended is not found.
        assertThat(new String(held.readNBytes("both\n".length()), StandardCharsets.UTF_8))
                .isEqualTo("both\n");
        timers.fire(Duration.ofSeconds(5));

        assertThat(result.join().exitStatus()).hasValue(143);
        assertThat(result.join().output()).startsWith("begun\n");
        assertThatAllHaveEnded(held);
    }

    private static Path program(String name) {
        return Arrays.stream(System.getenv("PATH").split(":"))
                .map(place -> Path.of(place, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow();
    }

    private Process lonelyBridge(String command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1", // for a process that lives for seconds
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LonelyBridge.class.getName(),
                        directory.toString(),
                        command)
                .inheritIO();
        builder.environment().putAll(TestSystem.environment());
        return builder.start();
    }

    private static Actions actions(String place, String path, Environment environment) {
        ShellSettings off = ShellSettings.off();
        ShellSettings settings = new ShellSettings(
                true,
                off.allow(),
                Optional.of(Path.of(place)),
                off.environment(),
                off.timeLimit(),
                GRACE,
                off.outputLimit(),
                off.limits());
        return new Actions(
                settings, HttpSettings.off(), Map.of(), Map.of("PATH", path), environment, TestClient.THREADS);
    }

    private static ActionPlan.Shell shell(String command) {
        return new ActionPlan.Shell(command, Optional.empty(), Map.of());
    }

    private InputStream held() throws IOException {
        return Files.newInputStream(directory.resolve("held"));
    }

    private static void assertThatAllHaveEnded(InputStream held) throws IOException {
        try (held) {
            assertThat(held.read()).isEqualTo(-1);
        }
    }
}
