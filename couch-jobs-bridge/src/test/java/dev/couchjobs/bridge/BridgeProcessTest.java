package dev.couchjobs.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program as a process. */
@Timeout(60)
class BridgeProcessTest {
    @TempDir
    Path directory;

    @Test
    void aSignalEndsItGracefully() throws Exception {
        Process process = start("alpha");
        try (BufferedReader said = process.inputReader()) {
            await("begun", said);
            process.toHandle().destroy();
            await("closing", said);
        }

        assertThat(process.waitFor()).isZero();
    }

    @Test
    void aSecondSignalEndsItAtOnce() throws Exception {
        Process process = start("stuck");
        try (BufferedReader said = process.inputReader()) {
            await("begun", said);
            process.toHandle().destroy();
            await("closing", said);
            process.toHandle().destroy();

            assertThat(process.waitFor()).isEqualTo(143);
        }
    }

    @Test
    void aSignalEndsOneThatWaitsForItsDatabaseToBegin() throws Exception {
        Process process = start("waiting");
        try (BufferedReader said = process.inputReader()) {
            await("begun", said);
            process.toHandle().destroy();
            await("ending; another signal ends at once", said);
        }

        assertThat(process.waitFor()).isZero();
    }

    private Process start(String node) throws IOException {
        Path file = directory.resolve("bridge.toml");
        Files.writeString(
                file, "node = '" + node + "'\ncouchdb.url = 'http://localhost:5984/jobs'\nengine.directory = 'data'\n");
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1", // for a process that lives for seconds
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FakeBridgeMain.class.getName(),
                        file.toString())
                .redirectErrorStream(true)
                .start();
    }

    private static void await(String line, BufferedReader said) throws IOException {
        String next = said.readLine();
        while (next != null && !next.equals(line)) {
            next = said.readLine();
        }
        assertThat(next).isEqualTo(line);
    }
}
