package dev.couchjobs.server.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.DatabaseLocation;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.fdb.testing.Polling;
import dev.couchjobs.fdb.testing.Ports;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.access.AccessToken;
import dev.couchjobs.server.internal.access.AccessTokens;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the command line does without serving. */
@Timeout(60)
class ServeCommandTest {
    @TempDir
    private Path temporary;

    private record Run(int status, String out, String err) {}

    private static Run run(String... arguments) {
        Typed.Ran ran = new Typed().run(arguments);
        return new Run(ran.exitCode(), ran.out(), ran.err());
    }

    private String data() {
        return temporary.resolve("data").toString();
    }

    private Optional<AccessToken> find(String token) {
        try (Database database = Databases.directory(temporary.resolve("data"))) {
            return new AccessTokens(database, ServeCommand.ROWS, InstantSource.system())
                    .find(token.strip())
                    .join();
        }
    }

    @Test
    void tokensAreCreatedListedRotatedAndRevoked() {
        Run added = run(
                "token",
                "add",
                "--directory",
                data(),
                "--name",
                "jo",
                "--role",
                "read,work",
                "--type",
                "mail",
                "--expires-in",
                "90d");
        assertThat(added.status()).as(added.err()).isZero();
        AccessToken token = find(added.out()).orElseThrow();
        assertThat(token.roles()).isEqualTo(Set.of(Role.READ, Role.WORK));
        assertThat(token.types()).contains(Set.of("mail"));
        assertThat(token.expiresAt()).contains(token.expiresAt().orElseThrow());

        Run list = run("token", "list", "--directory", data());
        assertThat(list.out())
                .containsPattern(token.id() + " +jo +read, work +mail +2")
                .doesNotContain(added.out().strip().substring(20));

        Run rotated = run("token", "rotate", token.id(), "--directory", data(), "--overlap", "1m");
        assertThat(find(rotated.out())).isPresent();
        assertThat(find(added.out())).isPresent();

        assertThat(run("token", "revoke", token.id(), "--directory", data()).status())
                .isZero();
        assertThat(find(rotated.out())).isEmpty();
        Run again = run("token", "revoke", token.id(), "--directory", data());
        assertThat(again.status()).isEqualTo(3);
        assertThat(again.err()).contains("There is no such token");
    }

    @Test
    void aDirectoryThatIsOpenIsNamed() {
        try (Database database = Databases.directory(temporary.resolve("data"))) {
            assertThat(database).isNotNull();
            Run list = run("token", "list", "--directory", data());
            assertThat(list.status()).isEqualTo(1);
            assertThat(list.err()).contains("data").contains("--url").doesNotContain("\tat ");
        }
    }

    @Test
    void aServerThatNoCallerCanUseDoesNotStart() {
        Run served = run("--directory", data(), "--tokens");
        assertThat(served.status()).isEqualTo(1);
        assertThat(served.err()).contains("token add --name admin --role admin --directory " + data());
    }

    @Test
    void aDirectoryThatIsThereNeedsNoMark() {
        assertThat(MoveCommand.place("src")).isEqualTo(new DatabaseLocation.Directory(Path.of("./src")));
        Run move = run("move", "nothing-here", data());
        assertThat(move.status()).isEqualTo(3);
        assertThat(move.err()).contains("There is no directory nothing-here.", "./nothing-here");
    }

    @Test
    void theBridgeOfTheServerIsChecked() throws IOException {
        Path file = temporary.resolve("bridge.toml");
        String start = "node = 'a'\nengine.directory = 'x'\ncouchdb.url = 'http://127.0.0.1:1/jobs'\n";
        Files.writeString(file, start + "workrs = 1\n");
        Run wrong = run("--directory", data(), "--bridge", file.toString(), "--check");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.err()).contains("bridge.toml: workrs: there is no such key; did you mean \"workers\"?");

        Files.writeString(file, start + "[work_items.mail]\nkind = 'java'\ndo = 'send'\n");
        Run without = run("--directory", data(), "--bridge", file.toString());
        assertThat(without.status()).isEqualTo(1);
        assertThat(without.err()).contains("there is no handler 'send'").doesNotContain("should not have happened");

        Path config = temporary.resolve("server.toml");
        Files.writeString(config, "directory = 'data'\n[bridge]\nfile = 'bridge.toml'\nprefix = 'other'\n");
        Run both = run("--config", config.toString(), "--check");
        assertThat(both.err()).contains("server.toml: bridge.prefix: the file of the bridge has it: leave it out");
    }

    @Test
    void aConfigurationIsChecked() throws IOException {
        Path file = temporary.resolve("server.toml");
        Files.writeString(file, "directory = \"data\"\nport = 1234\n");
        Run valid = run("--config", file.toString(), "--check");
        assertThat(valid.status()).as(valid.err()).isZero();
        assertThat(Files.exists(temporary.resolve("data"))).isFalse();

        Run open = run("--config", file.toString(), "--check", "--host", "0.0.0.0");
        assertThat(open.status()).isEqualTo(2);
        assertThat(open.err()).contains("--tls-certificates", "--tokens", "127.0.0.1");

        Run missing = run("--config", file.toString(), "--check", "--tls-certificates", "a", "--tls-key", "b");
        assertThat(missing.status()).isEqualTo(2);
        assertThat(missing.err()).contains("cannot be read");

        Files.writeString(file, "directry = \"data\"\n");
        Run wrong = run("--config", file.toString(), "--check");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(wrong.err()).contains("server.toml: directry: there is no such key; did you mean \"directory\"?");

        assertThat(run("--check").err()).contains("It is not known where the jobs are");
    }

    private static void removeAll(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void aServerWhoseDatabaseHasStoppedEndsWithTheReason() throws Exception {
        PrintStream before = System.err;
        System.setErr(new PrintStream(
                OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8)); // the engine logs why it stops
        try {
            stopsWithTheReason();
        } finally {
            System.setErr(before);
        }
    }

    private void stopsWithTheReason() throws Exception {
        int port = Ports.free();
        FutureTask<Run> served = new FutureTask<>(() -> run("--directory", data(), "--port", String.valueOf(port)));
        new Thread(served, "serve").start();
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest live = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/live"))
                .build();
        while (status(client, live) != 200) {
            Polling.pause();
        }

        removeAll(temporary.resolve("data"));
        HttpRequest add = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/types/mail/jobs"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"data\": 1}"))
                .build();
        while (status(client, add) == 201) {
            Polling.pause();
        }

        Run run = served.get();
        assertThat(run.status()).as(run.err()).isEqualTo(5);
        assertThat(run.err().lines().toList())
                .hasSize(2)
                .first(STRING)
                .startsWith("couch-jobs: The database has stopped: ");
    }

    private static int status(HttpClient client, HttpRequest request) {
        try {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
