package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.server.internal.cli.Typed;
import dev.couchjobs.server.internal.cli.Typed.Ran;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Commands that open a directory themselves, and what goes from one place to another. */
@Timeout(120)
class CommandLineDirectoryTest {
    private static final JobType<Object, Object> MAIL = JobType.of("mail", Object.class, Object.class);

    @TempDir
    private Path root;

    private Path directory() {
        return root.resolve("data");
    }

    private Ran run(String command) {
        return run(new Typed(), command);
    }

    private Ran run(Typed typed, String command) {
        List<String> words = new ArrayList<>(Arrays.asList(command.split(" ", -1)));
        words.addAll(List.of("--directory", directory().toString()));
        return typed.run(words.toArray(new String[0]));
    }

    @Test
    void aDirectoryIsMadeToAddAndNotToRead() {
        Ran missing = run("list");
        assertThat(missing.exitCode()).isEqualTo(3);
        assertThat(missing.err()).contains("There is no directory " + directory());
        assertThat(directory()).doesNotExist();

        assertThat(run("add mail 1 --id a").exitCode()).isZero();
        assertThat(run("show mail a --json").json().get("id").stringValue()).isEqualTo("a");
    }

    @Test
    void topicsOfADirectory() {
        assertThat(run("topics create log").exitCode()).isZero();
        assertThat(run("topics append log 1").exitCode()).isZero();
        assertThat(run("topics read log --json").json().get("items")).hasSize(1);
    }

    @Test
    void aHeldDirectoryNeedsTheServersAddress() {
        try (Database holder = Databases.directory(directory())) {
            Ran held = run("list");
            assertThat(held.exitCode()).isEqualTo(1);
            assertThat(held.err()).contains("is in use by").contains("--url http://127.0.0.1:7470");
            long version = holder.run(tx -> tx.getReadVersion().join());
            assertThat(version).isPositive();
        }
        assertThat(new Typed()
                        .run("list", "--directory", "x", "--url", "http://127.0.0.1")
                        .exitCode())
                .isEqualTo(2);
    }

    @Test
    void aRepeatedImportOfAnExportAddsNothingTwice() throws IOException {
        Path file = root.resolve("jobs");
        try (TestServer server = TestServer.forEverything()) {
            String at = "2100-01-01T00:00:00Z";
            server.post(
                    "/v1/jobs",
                    "{'jobs': [{'type': 'mail', 'id': 'z', 'data': {'n': 12345678901234567890}, 'at': '" + at + "',"
                            + " 'priority': 7, 'tags': ['t'], 'headers': {'h': 'x'}, 'limitKey': 'k', 'turnKey': 'l',"
                            + " 'unique': {'key': 'u'}}, {'type': 'mail', 'id': 'ended', 'data': 1}, {'type': 'zip',"
                            + " 'id': 'a/b', 'data': 2, 'sequence': 's', 'passesFailure': true, 'unique': {},"
                            + " 'retry': {'maxAttempts': 3, 'initialDelay': 'PT2S', 'factor': 1.5}}]}");
            server.post("/v1/types/mail/jobs/ended/cancel", "");
            server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': 1, 'after': [{'type': 'mail', 'id': 'z'}]}");
            Ran exported = new Typed().run("export", "--url", server.uri("/").toString());
            assertThat(exported.exitCode()).as(exported.err()).isZero();
            assertThat(exported.err()).isEqualTo("exported 4 jobs\n");
            Files.writeString(file, exported.out());

            Ran imported = run("import " + file);
            assertThat(imported.exitCode()).as(imported.err()).isZero();
            assertThat(imported.err()).isEqualTo("added 3 jobs; 0 were there; 1 had ended and are left out\n");
            Ran again = run("import " + file + " --json");
            assertThat(again.exitCode()).isZero();
            assertThat(again.out()).isEqualTo("{\"added\":0,\"present\":3,\"ended\":1,\"failed\":0}\n");
            for (String id : List.of("mail z", "mail a", "zip a/b")) {
                assertThat(run("show --json " + id).json())
                        .isEqualTo(
                                server.get("/v1/types/" + id.replace("/", "%2F").replace(" ", "/jobs/"))
                                        .body());
            }
            assertThat(run("list --json").lines()).hasSize(2);
        }
    }

    @Test
    void anExportGoesOnBehindItsCursor() {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 450; i++) {
            lines.append("{\"type\": \"t")
                    .append(i % 2)
                    .append("\", \"data\": ")
                    .append(i)
                    .append("}\n");
        }
        assertThat(run(new Typed().input(lines.toString()), "import").err())
                .isEqualTo("added 450 jobs; 0 were there\n");
        List<String> whole = run("export").lines();
        List<String> cursors =
                whole.stream().filter(line -> line.startsWith("{\"cursor\"")).toList();
        assertThat(cursors).hasSize(3);
        for (String cursor : cursors) {
            String place = cursor.substring(cursor.indexOf(':') + 2, cursor.length() - 2);
            List<String> rest = run("export --after " + place).lines();
            int behind = whole.indexOf(cursor) + 1;
            assertThat(rest.subList(0, rest.size() - 1)).isEqualTo(whole.subList(behind, whole.size() - 1));
        }
    }

    /** Names that the server, its paths and its formats have themselves, and names that have to be encoded. */
    @Test
    void everyTypeOfUsersIsExportedAndImported() throws IOException {
        Set<String> types = new TreeSet<>(List.of(
                "selection",
                "selections",
                "couch-jobs.selection",
                "server",
                "cursor",
                "exported",
                "jobs",
                "*",
                "a/b",
                "a b",
                "a+b",
                "a%2Fb",
                "{\"type\":\"x\"}"));
        Path file = root.resolve("jobs");
        try (TestServer server = TestServer.forEverything()) {
            for (String type : types) {
                server.jobs
                        .add(server.database, JobType.of(type, Object.class), "a", 1)
                        .join();
            }
            Ran exported = new Typed().run("export", "--url", server.uri("/").toString());
            assertThat(exported.err()).isEqualTo("exported " + types.size() + " jobs\n");
            Files.writeString(file, exported.out());
            for (String cursor : exported.lines()) {
                if (cursor.startsWith("{\"cursor\"")) {
                    String place =
                            JsonMapper.shared().readTree(cursor).get("cursor").stringValue();
                    Ran rest = new Typed()
                            .run(
                                    "export",
                                    "--after",
                                    place,
                                    "--url",
                                    server.uri("/").toString());
                    int behind = exported.lines().indexOf(cursor) + 1;
                    assertThat(rest.lines().subList(0, rest.lines().size() - 1))
                            .isEqualTo(exported.lines()
                                    .subList(behind, exported.lines().size() - 1));
                }
            }
        }
        assertThat(run("import " + file).err()).isEqualTo("added " + types.size() + " jobs; 0 were there\n");
        try (Database database = Databases.directory(directory());
                CouchJobs jobs = CouchJobs.on(database)) {
            for (String type : types) {
                assertThat(jobs.getJob(database, JobType.of(type, Object.class), "a")
                                .join())
                        .as(type)
                        .isPresent();
            }
        }
    }

    @Test
    void aCursorThatIsNoneIsRefused() {
        run("add mail 1 --id a");
        for (String cursor : List.of("nothing", "a%FF/", "a%/x", "a%zz/", "%C0%AF/")) {
            Ran ran = run("export --after " + cursor);
            assertThat(ran.exitCode()).as(cursor).isEqualTo(2);
            assertThat(ran.err()).as(cursor).contains("no cursor");
        }
    }

    /** Nothing replaces bytes that are no UTF-8: two texts would become one. */
    @Test
    void linesThatAreNoUtf8AreRefusedAndOthersAdded() throws IOException {
        Path file = root.resolve("jobs");
        try (OutputStream out = Files.newOutputStream(file)) {
            for (String id : List.of("a\u00FF", "a\u00FE", "a\u00C0\u00AF", "\u00C3\u00BC", "b")) {
                out.write(("{\"type\":\"mail\",\"id\":\"" + id + "\",\"data\":\"" + id + "\"}\n")
                        .getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        Ran ran = run("import " + file);
        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.err().lines())
                .anyMatch(line -> line.startsWith("line 1: "))
                .anyMatch(line -> line.startsWith("line 2: "))
                .anyMatch(line -> line.startsWith("line 3: "))
                .contains("added 2 jobs; 0 were there; 3 cannot be added");
        assertThat(run("show mail \u00fc --json").json().get("data").stringValue())
                .isEqualTo("\u00fc");
        Ran added = run(new Typed().input(new byte[] {'"', -1, '"'}), "add mail - --id c");
        assertThat(added.exitCode()).as(added.err()).isEqualTo(2);
    }

    @Test
    void linesWithoutIdsAreAddedOnce() {
        String lines = "{\"data\": 1}\n\n{\"data\": 1}\n{\"data\": 2}\n";
        assertThat(run(new Typed().input(lines), "import --type mail").err()).isEqualTo("added 3 jobs; 0 were there\n");
        assertThat(run(new Typed().input(lines), "import --type mail").err()).isEqualTo("added 0 jobs; 3 were there\n");
    }

    @Test
    void wrongLinesAreNamedAndOthersAdded() {
        String lines = """
                {"type": "mail", "data": 1}
                nonsense
                []
                {"data": 1}
                {"type": "mail"}
                {"type": "mail", "data": 1, "priority": "high"}
                {"type": "mail", "data": 1, "after": [{"type": "mail", "id": "gone"}]}
                {"type": "mail", "data": 2}
                """;
        Ran ran = run(new Typed().input(lines), "import");
        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.err().lines())
                .anyMatch(line -> line.startsWith("line 2: it is not JSON"))
                .anyMatch(line -> line.startsWith("line 3: it is no object"))
                .anyMatch(line -> line.startsWith("line 4: it has no type"))
                .anyMatch(line -> line.startsWith("line 5: it has no data"))
                .anyMatch(line -> line.startsWith("line 6: ") && line.contains("priority"))
                .anyMatch(line -> line.startsWith("line 7: a job that it waits for is not there"))
                .contains("added 2 jobs; 0 were there; 6 cannot be added");
        assertThat(run("import " + root.resolve("nothing")).exitCode()).isEqualTo(3);
    }

    @Test
    void jobsMoveToAnotherDirectory() {
        run("add mail 1 --id a");
        String from = directory().toString();
        String to = root.resolve("other").toString();
        Ran copied = new Typed().run("move", from, to);
        assertThat(copied.exitCode()).as(copied.err()).isZero();
        assertThat(copied.out()).isEqualTo("The jobs are in service in " + from + ".\n");
        assertThat(new Typed().run("move", from, to, "--finish").exitCode()).isEqualTo(2);
        Ran finished = new Typed().run("move", from, to, "--finish", "--yes");
        assertThat(finished.exitCode()).as(finished.err()).isZero();
        assertThat(finished.err()).contains("SHA-256");
        Ran old = run("list");
        assertThat(old.exitCode()).isEqualTo(1);
        assertThat(old.err()).contains(to);
        assertThat(new Typed().run("show", "mail", "a", "--directory", to).exitCode())
                .isZero();
        assertThat(new Typed()
                        .run("move", root.resolve("nothing").toString(), to)
                        .exitCode())
                .isEqualTo(3);
    }

    @Test
    void aDoctorLetsJobsOfADeadProcessRunAgain() {
        JobType<Object, Object> brief = MAIL.activityTimeout(Duration.ofSeconds(1));
        try (Database database = Databases.directory(directory());
                CouchJobs jobs = CouchJobs.on(database)) {
            jobs.add(database, brief, "a", 1).join();
            assertThat(jobs.processor()
                            .accept(brief, AcceptOptions.nonBlocking())
                            .join())
                    .isPresent();
        }
        Ran found = run("doctor");
        assertThat(found.exitCode()).isEqualTo(1);
        assertThat(found.out()).containsPattern("monitor +mail +fault +No process watches");
        assertThat(run("doctor --mend").out()).containsPattern("monitor +mail +mended");
        assertThat(run("show mail a --json").json().get("state").stringValue()).isEqualTo("pending");
    }

    @Test
    void aBenchmarkClaimsAndFinishes() {
        Ran ran = run("bench --jobs 30 --json");
        assertThat(ran.exitCode()).as(ran.err()).isZero();
        assertThat(ran.json().get("items")).hasSize(3).allSatisfy(row -> {
            assertThat(row.get("jobs").asInt()).isEqualTo(30);
            assertThat(row.get("perSecond").asLong()).isPositive();
            assertThat(row.get("p99Millis").asDouble()).isPositive();
        });
        assertThat(run("list --json").out()).doesNotContain("\"total\":30");
    }
}
