package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.JobType;
import dev.couchjobs.fdb.testing.Polling;
import dev.couchjobs.server.internal.cli.Typed;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands in processes of their own: their status, and signals. */
@Timeout(300)
@Tag("processes")
class CommandLineProcessTest {
    private static final int TERMINATED = 128 + 15;

    @TempDir
    private Path root;

    /** With the options of the script {@code couch-jobs}. */
    private static Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.couchjobs.server.ServerMain"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).start();
    }

    private static String text(InputStream stream) throws IOException {
        return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }

    private static BufferedReader lines(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** One server shows what takes a process of its own: its options, its bridge, its lock, and how it ends. */
    @Test
    void optionsAloneServeUntilASignal() throws IOException, InterruptedException {
        String directory = root.resolve("data").toString();
        Path bridge = TestBridge.write(URI.create("http://127.0.0.1:1/jobs"));
        Process server = start("--directory", directory, "--port", "0", "--bridge", bridge.toString());
        try (BufferedReader out = lines(server)) {
            String url = out.readLine().replaceAll(".*listens on (\\S+) .*", "$1");
            assertThat(out.readLine()).contains("--tokens");
            assertThat(out.readLine()).isEqualTo("The bridge waits for its CouchDB; GET /v1/bridge/nodes shows it.");
            assertThat(new Typed()
                            .run("add", "mail", "1", "--id", "a", "--url", url)
                            .exitCode())
                    .isZero();
            assertThat(new Typed().run("pause", "mail", "--url", url).exitCode())
                    .isZero();
            Typed.Ran held = new Typed().run("list", "--directory", directory);
            assertThat(held.exitCode()).isEqualTo(1);
            assertThat(held.err()).contains("--url").doesNotContain("Exception");
            while (new Typed().run("bridge", "reg_a", "--url", url).exitCode() != 0) {
                Polling.pause();
            }
            assertThat(new Typed().run("bridge", "--url", url).lines().get(1)).startsWith("reg_a  running  false");

            server.toHandle().destroy();
            assertThat(server.waitFor()).isEqualTo(TERMINATED);
            assertThat(text(server.getErrorStream())).contains("pauseType").doesNotContain("addJob");
        } finally {
            server.destroyForcibly();
        }
        assertThat(new Typed().run("bridge", "--directory", directory).lines().get(1))
                .startsWith("reg_a  ended  ");
        Process shown = start("show", "mail", "a", "--directory", directory, "--json");
        assertThat(shown.waitFor()).isZero();
        assertThat(text(shown.getInputStream())).contains("\"id\":\"a\"").hasLineCount(1);
        assertThat(text(shown.getErrorStream())).isEmpty();
    }

    @Test
    void aBridgeNeedsItsFile() {
        Typed.Ran wrong = new Typed()
                .run(
                        "--directory",
                        root.resolve("data").toString(),
                        "--bridge",
                        root.resolve("none.toml").toString());
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err()).contains("none.toml: cannot be read");
    }

    @Test
    void aSignalEndsAWatchAndClosesTheDirectory() throws IOException, InterruptedException {
        String directory = root.resolve("data").toString();
        new Typed().run("add", "mail", "1", "--id", "a", "--directory", directory);
        Process watch = start("watch", "--directory", directory, "--every", "10m");
        try (BufferedReader out = lines(watch)) {
            assertThat(out.readLine()).endsWith("mail pending=1").doesNotContain("\u001b");
            watch.toHandle().destroy();
            assertThat(watch.waitFor()).isEqualTo(TERMINATED);
            assertThat(text(watch.getErrorStream())).isEmpty();
        } finally {
            watch.destroyForcibly();
        }
        assertThat(new Typed().run("list", "--directory", directory).exitCode()).isZero();
    }

    @Test
    void aSignalEndsAFollowerThatWaitsForMessages() throws IOException, InterruptedException {
        try (TestServer server = TestServer.forEverything()) {
            String url = server.uri("/").toString();
            new Typed().run("topics", "create", "log", "--partitions", "2", "--url", url);
            new Typed().run("topics", "append", "log", "1", "--key", "k", "--url", url);
            Process follower = start("topics", "read", "log", "--follow", "--url", url);
            try (BufferedReader out = lines(follower)) {
                assertThat(out.readLine()).matches("\\S+Z [01] [0-9a-f]{24} key=k 1");
                new Typed().run("topics", "append", "log", "{\"line\":2}", "--url", url);
                assertThat(out.readLine()).matches("\\S+Z [01] [0-9a-f]{24} \\{\"line\":2}");
                follower.toHandle().destroy();
                assertThat(follower.waitFor()).isEqualTo(TERMINATED);
                assertThat(text(follower.getErrorStream())).isEmpty();
            } finally {
                follower.destroyForcibly();
            }
        }
    }

    @Test
    void aFollowerGoesOnWhenItsServerIsBack() throws IOException, InterruptedException {
        HaltingServer server = serve(0);
        String url = server.address().toString();
        new Typed().run("topics", "create", "log", "--url", url);
        new Typed().run("topics", "append", "log", "1", "--url", url);
        Process follower = start("topics", "read", "log", "--follow", "--limit", "2", "--url", url);
        try (BufferedReader messages = lines(follower)) {
            assertThat(messages.readLine()).endsWith(" 1");
            server.close();
            try (HaltingServer next = serve(URI.create(url).getPort())) {
                assertThat(next.address()).hasToString(url);
                new Typed().run("topics", "append", "log", "2", "--url", url);
                assertThat(messages.readLine()).endsWith(" 2");
                assertThat(follower.waitFor()).isZero();
            }
        } finally {
            follower.destroyForcibly();
        }
    }

    /** A server within this process, that no commit ends. */
    private HaltingServer serve(int port) {
        return new HaltingServer(root.resolve("data"), port, HaltingPlan.within(Integer.MAX_VALUE, true));
    }

    @Test
    void aWatchHearsOfAChange() throws IOException, InterruptedException {
        try (TestServer server = TestServer.forEverything()) {
            String url = server.uri("/").toString();
            new Typed().run("add", "mail", "1", "--url", url);
            Process watch = start("watch", "mail", "--every", "100ms", "--url", url);
            try (BufferedReader out = lines(watch)) {
                assertThat(out.readLine()).endsWith("mail pending=1");
                new Typed().run("add", "mail", "2", "--url", url);
                assertThat(out.readLine()).endsWith("mail pending=2");
                watch.toHandle().destroy();
                assertThat(watch.waitFor()).isEqualTo(TERMINATED);
                assertThat(text(watch.getErrorStream())).isEmpty();
            } finally {
                watch.destroyForcibly();
            }
        }
    }

    @Test
    void anImportThatASignalInterruptsIsRepeated() throws IOException, InterruptedException {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 250; i++) {
            lines.append("{\"type\": \"mail\", \"data\": ").append(i).append("}\n");
        }
        Path file = Files.writeString(root.resolve("jobs"), lines);
        try (TestServer server = TestServer.forEverything()) {
            String url = server.uri("/").toString();
            Process first = start("import", "--url", url);
            try (Writer in = first.outputWriter(StandardCharsets.UTF_8)) {
                in.write(lines.toString());
                in.flush();
                while (pending(server) < 200) {
                    Polling.pause();
                }
                first.toHandle().destroy();
                assertThat(first.waitFor()).isEqualTo(TERMINATED);
            } finally {
                first.destroyForcibly();
            }
            assertThat(pending(server)).isEqualTo(200);
            assertThat(new Typed().run("import", file.toString(), "--url", url).err())
                    .isEqualTo("added 50 jobs; 200 were there\n");
        }
    }

    private static long pending(TestServer server) {
        return server.jobs
                .counts(server.database, JobType.of("mail", Object.class))
                .join()
                .pending();
    }

    @Test
    void wrongUsageIsTwo() throws IOException, InterruptedException {
        Process wrong = start("list", "--bogus");
        assertThat(wrong.waitFor()).isEqualTo(2);
        assertThat(text(wrong.getInputStream())).isEmpty();
        assertThat(text(wrong.getErrorStream())).startsWith("couch-jobs: couch-jobs list has no option --bogus.\n");
    }
}
