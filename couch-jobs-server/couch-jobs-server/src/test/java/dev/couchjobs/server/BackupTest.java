package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.server.TestServer.Response;
import dev.couchjobs.server.internal.cli.Typed;
import dev.couchjobs.server.internal.cli.Typed.Ran;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Copies of a directory that is open. */
@Timeout(120)
class BackupTest {
    @TempDir
    private Path root;

    private Path directory() {
        return root.resolve("data");
    }

    private Path backups() {
        return root.resolve("backups");
    }

    private static Ran show(Path directory, String id) {
        return new Typed().run("show", "mail", id, "--json", "--directory", directory.toString());
    }

    @Test
    void aServerCopiesTheJobsWhileItRuns() {
        try (Database database = Databases.directory(directory());
                CouchJobs jobs = CouchJobs.on(database);
                JobsServer server = JobsServer.start(
                        JobsHttp.on(jobs, database)
                                .authenticator(Authenticator.always(Access.of("test", Role.ADMIN)))
                                .backups(backups()),
                        "127.0.0.1",
                        0)) {
            String url = server.address().toString();
            new Typed().run("add", "mail", "1", "--id", "before", "--url", url);

            Ran monday = new Typed().run("backup", "monday", "--url", url);
            assertThat(monday.out().strip())
                    .isEqualTo(backups().resolve("monday").toString());

            new Typed().run("add", "mail", "2", "--id", "after", "--url", url);
            Ran again = new Typed().run("backup", "monday", "--url", url);
            assertThat(again.exitCode()).isEqualTo(1);
            assertThat(again.err()).contains("monday is there already.");

            Ran standard = new Typed().run("backup", "--url", url, "--json");
            assertThat(standard.json().get("name").stringValue()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\dZ");
            assertThat(show(backups().resolve(standard.json().get("name").stringValue()), "after")
                            .exitCode())
                    .isZero();
        }
        Path copy = backups().resolve("monday");
        assertThat(show(copy, "before").json().get("data").intValue()).isEqualTo(1);
        assertThat(show(copy, "after").exitCode()).isEqualTo(3);
        assertThat(show(directory(), "after").exitCode()).isZero();
    }

    @Test
    void aCommandCopiesADirectoryThatItOpens() {
        String directory = directory().toString();
        new Typed().run("add", "mail", "1", "--id", "a", "--directory", directory);

        Ran nowhere = new Typed().run("backup", "copy", "--directory", directory);
        assertThat(nowhere.exitCode()).isEqualTo(2);
        assertThat(nowhere.err()).contains("Give --to DIRECTORY.");

        Ran done = new Typed()
                .run(
                        "backup",
                        "copy",
                        "--directory",
                        directory,
                        "--to",
                        backups().toString());
        assertThat(done.exitCode()).as(done.err()).isZero();
        assertThat(show(backups().resolve("copy"), "a").exitCode()).isZero();
    }

    @Test
    void aServerWithoutADirectoryForThemSaysSo() {
        try (TestServer server = TestServer.forEverything()) {
            Response none = server.post("/v1/backups", "");
            assertThat(none.problem()).isEqualTo("no-backups");
            assertThat(none.detail()).isEqualTo("Start the server with a directory for them (--backups).");
        }
    }

    @Test
    void aDatabaseInMemoryHasNone() {
        try (TestServer server = TestServer.of(EmbeddedDatabase.openInMemory(), http -> http.backups(backups()))) {
            assertThat(server.post("/v1/backups", "{'name': 'copy'}").problem()).isEqualTo("no-backups");
            assertThat(server.post("/v1/backups", "{'name': '../copy'}").status())
                    .isEqualTo(400);
        }
        assertThat(Files.exists(backups())).isFalse();
    }
}
