package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.apple.foundationdb.tuple.Tuple;
import com.sun.net.httpserver.HttpServer;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.JobType;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.Worker;
import dev.couchjobs.server.internal.cli.Typed;
import dev.couchjobs.server.internal.cli.Typed.Ran;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands as a user types them, against a server. */
@Timeout(60)
class CommandLineTest {
    private static final JobType<Object, Object> MAIL = JobType.of("mail", Object.class, Object.class);

    private final TestServer server = TestServer.forEverything();

    @AfterEach
    void close() {
        server.close();
    }

    /** The words of a command, and more words that may have spaces in them. */
    private Ran run(String command, String... more) {
        return run(new Typed(), command, more);
    }

    private Ran run(Typed typed, String command, String... more) {
        List<String> words = new ArrayList<>(Arrays.asList(command.split(" ", -1)));
        words.addAll(List.of(more));
        words.addAll(List.of("--url", server.uri("/").toString()));
        return typed.run(words.toArray(new String[0]));
    }

    private void fail(String... ids) {
        for (String id : ids) {
            server.jobs.add(server.database, MAIL, id, "data of " + id).join();
        }
        try (Worker worker = server.jobs
                .worker()
                .handle(MAIL, job -> {
                    throw new PermanentFailureException("no such address");
                })
                .start()) {
            for (String id : ids) {
                server.jobs
                        .resultAsync(MAIL, id, Duration.ofSeconds(30))
                        .handle((done, failed) -> true)
                        .join();
            }
            assertThat(worker.stuckSlots()).isZero();
        }
    }

    @Test
    void aFirstSession() {
        Ran added = run("add mail {\"to\":\"jo\"} --id a --tag first --header trace=x --priority 3 --in 1h");
        assertThat(added.exitCode()).as(added.err()).isZero();
        assertThat(added.out()).isEqualTo("added mail a\n");
        assertThat(added.err()).isEmpty();

        assertThat(run("list").lines())
                .containsExactly(
                        "NAME  PENDING  BLOCKED  RUNNING  SUCCEEDED  FAILED  CANCELLED  EXPIRED",
                        "mail        1        0        0          0       0          0        0");
        assertThat(run("list mail --tag first").lines())
                .hasSize(2)
                .element(1, STRING)
                .startsWith("a   pending  20");
        assertThat(run("show mail a").out())
                .contains("data           {\"to\":\"jo\"}\n", "priority       3\n")
                .contains("headers        {\"trace\":\"x\"}\n");

        assertThat(run("why mail a").out()).startsWith("Its time is 20");
        assertThat(run("run-now mail a").out()).isEqualTo("due now: mail a\n");
        Ran cancelled = run("cancel mail a --reason", "not wanted");
        assertThat(cancelled.out()).isEqualTo("cancelled mail a\n");
        assertThat(run("show mail a").out()).containsPattern("outcome +cancelled\n");
        assertThat(run("why mail a").out()).isEqualTo("It has ended: cancelled.\n");
        assertThat(run("remove mail a --yes").out()).isEqualTo("removed mail a\n");
        assertThat(run("show mail a").exitCode()).isEqualTo(3);
        assertThat(run("why mail a").exitCode()).isEqualTo(3);
    }

    @Test
    void jsonIsThatOfTheApi() {
        run("add mail 1 --id a");
        fail("dead");
        for (String[] pair : new String[][] {
            {"show mail a", "/v1/types/mail/jobs/a"},
            {"why mail a", "/v1/types/mail/jobs/a/why"},
            {"show mail", "/v1/types/mail"},
            {"list mail", "/v1/types/mail/jobs"},
            {"list mail --state finished --limit 1", "/v1/types/mail/jobs?state=finished&limit=1"},
            {"dead mail", "/v1/types/mail/dead-letters"},
            {"limits mail", "/v1/types/mail/limits"},
            {"schedules", "/v1/schedules"},
            {"quarantine mail", "/v1/types/mail/quarantine"},
            {"workers --pauses", "/v1/worker-pauses"},
        }) {
            Ran ran = run(pair[0] + " --json");
            assertThat(ran.exitCode()).as(pair[0]).isZero();
            assertThat(ran.json()).as(pair[0]).isEqualTo(server.get(pair[1]).body());
        }
    }

    @Test
    void aWaitEndsWithTheJob() {
        try (Worker worker =
                server.jobs.worker().handle(MAIL, job -> List.of(job.data())).start()) {
            Ran done = run("add mail 5 --wait 30s --json");
            assertThat(done.exitCode()).as(done.err()).isZero();
            assertThat(done.json().get("result").toString()).isEqualTo("[5]");
            assertThat(worker.stuckSlots()).isZero();
        }
        Ran late = run("add mail 5 --wait 10ms");
        assertThat(late.exitCode()).isEqualTo(1);
        assertThat(late.err()).contains("has not ended");
    }

    @Test
    void theStatusSaysWhatWasWrong() {
        assertThat(run("cancel mail nothing").exitCode()).isEqualTo(3);
        assertThat(run("cancel mail nothing").err()).contains("Nothing was changed");
        assertThat(run("show mail nothing").err())
                .isEqualTo("couch-jobs: There is no such thing.\n  There is no such job.\n");
        assertThat(run("add mail 1 --id a").exitCode()).isZero();
        assertThat(run("add mail 1 --id a").exitCode()).isEqualTo(3);

        Ran unquoted = run("add mail text");
        assertThat(unquoted.exitCode()).isEqualTo(2);
        assertThat(unquoted.err()).contains("The data is not JSON").contains("quotation marks");
        assertThat(run("bogus").exitCode()).isEqualTo(2);
        assertThat(run("list mail --state bogus").exitCode()).isEqualTo(2);
        assertThat(run("list mail --state bogus").err()).contains("state");
        assertThat(run("list mail --bogus").err()).contains("--bogus").contains("`couch-jobs list --help`");
        assertThat(new Typed().run().exitCode()).isEqualTo(2);

        Ran unreachable = new Typed().run("list", "--url", "http://127.0.0.1:1");
        assertThat(unreachable.exitCode()).isEqualTo(1);
        assertThat(unreachable.err())
                .contains("Nothing answers at http://127.0.0.1:1")
                .contains("couch-jobs serve");
    }

    @Test
    void aTokenIsSentAndNeverShown() {
        Authenticator readers =
                request -> CompletableFuture.completedFuture(Optional.ofNullable(request.getHeader("Authorization"))
                        .filter("Bearer s3cret"::equals)
                        .map(header -> Access.of("jo", Role.READ)));
        try (TestServer guarded = new TestServer(http -> http.authenticator(readers))) {
            String url = guarded.uri("/").toString();
            assertThat(new Typed()
                            .run("list", "--url", url, "--token", "s3cret")
                            .exitCode())
                    .isZero();
            Typed jo = new Typed().with("COUCH_JOBS_TOKEN", "s3cret").with("COUCH_JOBS_URL", url);
            assertThat(jo.run("list").exitCode()).isZero();

            Ran refused = jo.run("add", "mail", "1");
            assertThat(refused.exitCode()).isEqualTo(4);
            assertThat(refused.err()).contains("It needs the role add.").doesNotContain("s3cret");
            Ran unknown = new Typed().run("list", "--url", url, "--token", "wr0ng");
            assertThat(unknown.exitCode()).isEqualTo(4);
            assertThat(unknown.err()).contains("does not know this token").doesNotContain("wr0ng");
            assertThat(new Typed().run("list", "--url", url).err()).contains("COUCH_JOBS_TOKEN");
        }
        Ran readable = new Typed().run("list", "--url", "http://example.org", "--token", "s3cret");
        assertThat(readable.exitCode()).isEqualTo(2);
        assertThat(readable.err()).contains("https://").doesNotContain("s3cret");
        Ran password = new Typed().run("list", "--url", "http://jo:s3cret@127.0.0.1");
        assertThat(password.exitCode()).isEqualTo(2);
        assertThat(password.err()).doesNotContain("s3cret");
    }

    @Test
    void optionsOfAllCommandsMayStandBeforeTheCommand() {
        run("add mail 1 --id a");
        String url = server.uri("/").toString();
        Ran listed = new Typed().run("--url", url, "--json", "list", "mail");
        assertThat(listed.exitCode()).as(listed.err()).isZero();
        assertThat(listed.json()).isEqualTo(server.get("/v1/types/mail/jobs").body());
        assertThat(new Typed().run("--url=" + url, "token", "list").exitCode()).isZero();
    }

    @Test
    void whatCannotBeReadIsNamed() {
        assertThat(new Typed().run("--url", "http://127.0.0.1:1", "lst").err())
                .startsWith("couch-jobs: There is no command lst. Did you mean list?\n")
                .contains("couch-jobs --help");
        assertThat(run("show mail a b").err())
                .startsWith("couch-jobs: couch-jobs show takes no further argument: b\n")
                .contains("couch-jobs show --help");
        assertThat(run("token ad").err()).startsWith("couch-jobs: There is no command ad. Did you mean add?\n");
    }

    @Test
    void aPauseOfATypeWithoutJobsSaysSo() {
        Ran paused = run("pause mial");
        assertThat(paused.exitCode()).isZero();
        assertThat(paused.err()).contains("No job of the type mial was added yet");
        run("add mail 1");
        assertThat(run("pause mail").err()).isEmpty();
    }

    @Test
    void aWaitHasAStandardTime() {
        try (Worker worker =
                server.jobs.worker().handle(MAIL, job -> job.data()).start()) {
            Ran done = run("add mail 5 --id a --wait");
            assertThat(done.exitCode()).as(done.err()).isZero();
            assertThat(run("show mail a --wait").exitCode()).isZero();
            assertThat(worker.stuckSlots()).isZero();
        }
        assertThat(run("show --help").out()).contains("Without a value: 10m");
    }

    @Test
    void aBenchmarkThatMayNotWorkAddsNothing() {
        Authenticator operators =
                request -> CompletableFuture.completedFuture(Optional.of(Access.of("jo", Role.READ, Role.OPERATE)));
        try (TestServer guarded = server.another(http -> http.authenticator(operators))) {
            Ran ran = new Typed().run("bench", "--url", guarded.uri("/").toString());
            assertThat(ran.exitCode()).isEqualTo(4);
            assertThat(ran.err()).contains("It needs the role work.");
            assertThat(server.get("/v1/types").body().get("items").isEmpty()).isTrue();
        }
    }

    @Test
    void administratorsManageTokensOfAServer() {
        try (TestServer guarded = server.another(JobsHttp::tokens)) {
            Ran first = run("token add --name root --role admin");
            assertThat(first.exitCode()).as(first.err()).isZero();
            Typed root = new Typed()
                    .with("COUCH_JOBS_TOKEN", first.out())
                    .with("COUCH_JOBS_URL", guarded.uri("/").toString());

            Ran added = root.run("token", "add", "--name", "jo", "--role", "read,work", "--type", "mail");
            assertThat(added.exitCode()).as(added.err()).isZero();
            String id = root.run("token", "list", "--json")
                    .json()
                    .path("items")
                    .valueStream()
                    .filter(token -> token.path("name").asString().equals("jo"))
                    .findAny()
                    .orElseThrow()
                    .path("id")
                    .asString();
            assertThat(root.run("token", "list").out()).containsPattern(id + " +jo +read, work +mail ");

            Typed jo = new Typed()
                    .with("COUCH_JOBS_TOKEN", added.out())
                    .with("COUCH_JOBS_URL", guarded.uri("/").toString());
            Ran refused = jo.run("token", "list");
            assertThat(refused.exitCode()).isEqualTo(4);
            assertThat(refused.err()).contains("It needs the role admin.");
            assertThat(root.run("token", "rotate", id, "--overlap", "1m").out()).startsWith("cj_");
            assertThat(root.run("token", "revoke", id).out()).isEqualTo("revoked the token " + id + "\n");
            assertThat(root.run("token", "revoke", id).exitCode()).isEqualTo(3);
        }
    }

    @Test
    void aRemovalIsConfirmed() {
        run("add mail 1 --id a");
        Ran unasked = run("remove mail a");
        assertThat(unasked.exitCode()).isEqualTo(2);
        assertThat(unasked.err()).contains("--yes");
        Ran no = run(new Typed().atTerminal("n\n"), "remove mail a");
        assertThat(no.exitCode()).isEqualTo(3);
        assertThat(no.err()).contains("Remove the job a for good? [y/N]");
        assertThat(run(new Typed().atTerminal(""), "remove mail a").exitCode()).isEqualTo(3);
        assertThat(run("show mail a").exitCode()).isZero();
        assertThat(run(new Typed().atTerminal("y\n"), "remove mail a").exitCode())
                .isZero();
        assertThat(run("show mail a").exitCode()).isEqualTo(3);
    }

    @Test
    void deadLettersAreRetried() {
        fail("x", "y", "z");
        assertThat(run("dead mail").out()).contains("no such address");
        assertThat(run("retry mail x").out()).isEqualTo("retried mail x\n");
        assertThat(run("retry mail x nothing").exitCode()).isEqualTo(3);
        assertThat(run("retry mail --all").exitCode()).isEqualTo(2);
        Ran all = run(new Typed().atTerminal("y\n"), "retry mail --all");
        assertThat(all.err()).contains("Change 2 jobs of mail: retried?");
        assertThat(all.out()).isEqualTo("retried: 2 jobs of mail\n");
        assertThat(run("dead mail").err()).isEqualTo("There are none.\n");
    }

    @Test
    void jobsThatMeetAConditionAreChangedTogether() {
        for (String id : List.of("a1", "a2", "b1")) {
            run("add mail 1 --in 1h --id " + id + " --tag " + id.charAt(0));
        }
        assertThat(run("run-now mail --id-prefix b --yes").out()).isEqualTo("due now: 1 jobs of mail\n");
        run("add mail 1 --at 2050-01-01T00:00:00Z --id c1");
        assertThat(run("run-now mail --due-after 2049-12-31T00:00:00Z --yes").out())
                .isEqualTo("due now: 1 jobs of mail\n");
        assertThat(run("remove mail c1 --yes").exitCode()).isZero();
        Ran no = run(new Typed().atTerminal("n\n"), "cancel mail --tag a");
        assertThat(no.exitCode()).isEqualTo(3);
        assertThat(no.err()).contains("Change 2 jobs of mail: cancelled?");
        Ran cancelled = run("cancel mail --tag a --yes --json", "--reason", "not wanted");
        assertThat(cancelled.json().get("applied").asInt()).isEqualTo(2);
        assertThat(run("show mail a1").out()).contains("not wanted");
        assertThat(run("show mail b1 --json").json().get("state").stringValue()).isEqualTo("pending");
        assertThat(run("remove mail --outcome cancelled --yes").out()).isEqualTo("removed: 2 jobs of mail\n");
        assertThat(run("remove mail --outcome cancelled --yes").exitCode()).isEqualTo(3);
        assertThat(run("remove mail b1 --all --yes").exitCode()).isEqualTo(2);
        assertThat(run("remove mail --all --tag a --yes").exitCode()).isEqualTo(2);
        assertThat(run("remove mail --yes").exitCode()).isEqualTo(2);
        assertThat(run("remove mail --state bogus --yes").exitCode()).isEqualTo(2);
    }

    @Test
    void whatIsPausedIsResumed() {
        run("schedules daily --put", "{\"cron\": \"0 8 * * *\", \"job\": {\"type\": \"mail\", \"data\": 1}}");
        for (String what : List.of("mail", "mail --key tenant", "--worker main", "--schedule daily")) {
            assertThat(run("pause " + what).exitCode()).as(what).isZero();
        }
        assertThat(run("pause mail --reason", "a release").exitCode()).isZero();
        assertThat(run("show mail").out()).contains("a release");
        assertThat(run("limits mail --paused-keys").out()).contains("tenant");
        assertThat(run("workers --pauses").out()).contains("main");
        assertThat(run("schedules daily").out()).containsPattern("paused +true\n");
        for (String what : List.of("mail", "mail --key tenant", "--worker main", "--schedule daily")) {
            assertThat(run("resume " + what).exitCode()).as(what).isZero();
        }
        assertThat(run("limits mail --paused-keys").err()).isEqualTo("There are none.\n");
        assertThat(run("pause").exitCode()).isEqualTo(2);
        assertThat(run("schedules daily --run-now").exitCode()).isZero();
        assertThat(run("schedules daily --remove --yes").exitCode()).isZero();
        assertThat(run("schedules daily").exitCode()).isEqualTo(3);
    }

    @Test
    void limitsAreSetAndCleared() {
        assertThat(run("limits mail --max 5 --rate 10/1m,burst=2").exitCode()).isZero();
        assertThat(run("limits mail").out())
                .isEqualTo("max      5\nrunning  0\nrate     {\"starts\":10,\"period\":\"PT1M\",\"burst\":2}\n");
        assertThat(run("limits mail tenant --weight 3").exitCode()).isZero();
        assertThat(run("limits mail tenant").out()).contains("weight  3\n");
        assertThat(run("limits mail --clear").exitCode()).isZero();
        assertThat(run("limits mail").out()).isEqualTo("running  0\n");
        assertThat(run("limits mail --each-key 2").exitCode()).isZero();
        assertThat(run("limits mail tenant").out()).contains("max     2\n");
        assertThat(run("limits mail --rate fast").exitCode()).isEqualTo(2);
        assertThat(run("limits mail --weight 2").exitCode()).isEqualTo(2);
    }

    @Test
    void aBatchIsOpenedSealedCancelledAndRemoved() {
        assertThat(run("batches night --open").exitCode()).isZero();
        run("add mail 1 --batch night");
        assertThat(run("batches night --seal").exitCode()).isZero();
        assertThat(run("batches night").lines().get(1)).startsWith("night  sealed");
        assertThat(run("cancel --batch night").exitCode()).isEqualTo(2);
        assertThat(run("cancel --batch night --yes").out()).isEqualTo("cancelled 1 jobs of night\n");
        assertThat(run("batches night --remove --yes").exitCode()).isZero();
        assertThat(run("batches night").exitCode()).isEqualTo(3);
    }

    @Test
    void aTopicIsCreatedFilledReadAndDeleted() {
        assertThat(run("topics list").err()).isEqualTo("There are none.\n");
        assertThat(run("topics create log --partitions 2 --max-age 7d").out()).isEqualTo("created log\n");
        assertThat(run("topics create errors").exitCode()).isZero();
        assertThat(run("topics list").lines()).containsExactly("errors", "log");
        assertThat(run("topics list --limit 1").err()).contains("--after 'errors'");
        assertThat(run("topics list --limit 1 --all").lines()).containsExactly("errors", "log");

        assertThat(run("topics append log {\"line\":1} 2 --key k --header trace=x")
                        .out())
                .isEqualTo("appended to log: 2\n");
        assertThat(run("topics append log text").exitCode()).isEqualTo(2);
        assertThat(run("topics append missing 1").exitCode()).isEqualTo(3);
        Ran read = run("topics read log --limit 1");
        assertThat(read.lines().get(1)).endsWith("k    {\"line\":1}");
        String next = read.err().replaceFirst("(?s).*--from ([0-9a-f]{24}).*", "$1");
        assertThat(run("topics read log --from " + next).lines().get(1)).endsWith("k        2");
        assertThat(run("topics read log --from latest --wait 1ms").err()).isEqualTo("There are none.\n");
        assertThat(run("topics read log --partition 2").exitCode()).isEqualTo(2);
        assertThat(run("topics read log --follow --limit 2").lines())
                .satisfiesExactly(
                        first -> assertThat(first).endsWith(" key=k {\"line\":1}"),
                        second -> assertThat(second).endsWith(" key=k 2"));
        assertThat(run("topics read log --follow --limit 1 --json --from " + next)
                        .json()
                        .get("value")
                        .intValue())
                .isEqualTo(2);
        assertThat(run("topics read missing --follow").exitCode()).isEqualTo(3);
        assertThat(run("topics describe log").out())
                .containsPattern("maxAge +PT168H\n")
                .containsPattern("messages +2\n")
                .contains("PARTITION");
        assertThat(run("topics delete log").exitCode()).isEqualTo(2);
        assertThat(run("topics delete log errors --yes").out()).isEqualTo("deleted log\ndeleted errors\n");
        assertThat(run("topics delete log --yes").exitCode()).isEqualTo(3);
        assertThat(run("topics describe log").exitCode()).isEqualTo(3);
        assertThat(new Typed().run("topics").err()).contains("One of list, create,");
        assertThat(new Typed().run("token").err()).contains("One of add, list, rotate, revoke is missing.");
    }

    @Test
    void aGroupIsShownAndMoved() {
        run("topics create log");
        run("topics append log 1 2 3");
        assertThat(run("topics groups log").err()).isEqualTo("There are none.\n");
        assertThat(run("topics group log readers").exitCode()).isEqualTo(3);
        assertThat(run("topics group log readers --create latest").out()).isEqualTo("created readers\n");
        assertThat(run("topics group log readers --create").exitCode()).isEqualTo(3);
        assertThat(run("topics groups log").lines()).containsExactly("readers");
        assertThat(run("topics group log readers").out()).containsPattern("lag +0\n");
        assertThat(run("topics seek log readers earliest --partition 0").out())
                .isEqualTo("moved readers to earliest\n");
        assertThat(run("topics group log readers").out())
                .containsPattern("lag +3\n")
                .contains("PARTITION  LAG");
        assertThat(run("topics group log readers --json").json())
                .isEqualTo(server.get("/v1/topics/log/groups/readers").body());
        assertThat(run("topics seek log missing earliest").exitCode()).isEqualTo(3);
        assertThat(run("topics group log readers --delete --yes").out()).isEqualTo("deleted readers\n");
        assertThat(run("topics group log readers").exitCode()).isEqualTo(3);
    }

    @Test
    void workersAndHealthAreShown() {
        try (Worker worker = server.jobs
                .worker()
                .name("main")
                .handle(MAIL, job -> job.data())
                .start()) {
            run("add mail 1 --wait 30s");
            assertThat(run("workers").lines()).anyMatch(line -> line.matches("main  .*  running .* \\d+s ago .*"));
            Ran health = run("health");
            assertThat(health.exitCode()).isZero();
            assertThat(health.out()).contains("status           up\n");
            assertThat(run("workers --drain main --yes").out()).isEqualTo("asked 1 workers to end\n");
            worker.ended().join();
        }
        assertThat(run("workers --drain nothing --yes").exitCode()).isEqualTo(3);
    }

    @Test
    void pagesFollowEachOther() {
        for (String id : List.of("a", "b", "c")) {
            run("add mail 1 --id " + id);
        }
        Ran first = run("list mail --limit 2");
        assertThat(first.lines()).hasSize(3);
        String next = first.err().replaceAll("(?s).*--after '([^']*)'.*", "$1");
        assertThat(run("list mail --limit 2 --after", next).lines())
                .hasSize(2)
                .last(STRING)
                .startsWith("c ");
        assertThat(run("list mail --limit 2 --all --json").lines()).hasSize(2);
        assertThat(run("list mail --limit 2 --all").err()).isEmpty();
    }

    @Test
    void aTerminalObeysNoJob() {
        String hostile = "\"\\u001b[2J\\u009b31m\\u202egnp.exe\\nline\"";
        assertThat(run("add mail " + hostile + " --id a").exitCode()).isZero();
        for (String command :
                List.of("show mail a", "list mail --tag t\u001b[31m", "show mail a --json", "show mail \u001b[2J")) {
            Ran ran = run(new Typed().atTerminal("").with("NO_COLOR", "1"), command);
            String text = ran.out() + ran.err();
            assertThat(text).doesNotContain("\u001b").doesNotContain("\u009b");
        }
        assertThat(run("show mail a").out()).contains("[2J 31m gnp.exe line").doesNotContain("\u202e");
        assertThat(run("show mail a --json").json().get("data").stringValue()).contains("\u001b[2J\u009b31m");
    }

    @Test
    void aTableFitsTheTerminal() {
        run("add mail 1 --id " + "i".repeat(100) + " --tag t --at 2100-01-01T00:00:00Z");
        assertThat(run("list mail").out()).contains("i".repeat(100));
        for (int columns : new int[] {20, 60}) {
            Ran narrow = run(new Typed().atTerminal("").columns(columns).with("NO_COLOR", "1"), "list mail");
            assertThat(narrow.lines())
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(columns));
            assertThat(narrow.out()).contains("i…");
        }
    }

    @Test
    void coloursAreForTerminalsWithoutNoColor() {
        run("add mail 1 --id a");
        run("cancel mail a");
        assertThat(run("health").out()).doesNotContain("\u001b");
        assertThat(run(new Typed().atTerminal(""), "list").out()).contains("\u001b[1m");
        assertThat(run(new Typed().atTerminal("").with("NO_COLOR", "1"), "list").out())
                .doesNotContain("\u001b");
        assertThat(run(new Typed().atTerminal("").with("TERM", "dumb"), "list").out())
                .doesNotContain("\u001b");
    }

    @Test
    void aChangeIsALine() {
        run("add mail 1");
        Ran watched = run("watch --every 100ms --rounds 2");
        assertThat(watched.exitCode()).isZero();
        assertThat(watched.lines()).hasSize(1).first(STRING).endsWith("Z mail pending=1");
        assertThat(run("watch mail --rounds 1 --json")
                        .json()
                        .get("counts")
                        .get("pending")
                        .asInt())
                .isEqualTo(1);
        assertThat(run("watch --every 1ms").exitCode()).isEqualTo(2);
    }

    @Test
    void aTerminalIsRedrawn() {
        run("add mail 1");
        Ran watched = run(new Typed().atTerminal("").with("NO_COLOR", "1"), "watch --every 100ms --rounds 2");
        String table = """
                NAME  PENDING  BLOCKED  RUNNING  SUCCEEDED  FAILED
                mail        1        0        0          0       0
                """;
        assertThat(watched.out()).startsWith("\r\u001b[J" + table + "\u001b[2A\r\u001b[J");
    }

    @Test
    void aDoctorFindsNothingInOrder() {
        fail("x");
        run("add mail 1 --id waits --fields", "{\"after\": [{\"type\": \"mail\", \"id\": \"x\"}]}");
        server.put("/v1/types/mail/status-index", "");
        run("schedules daily --put", "{\"cron\": \"0 8 * * *\", \"job\": {\"type\": \"mail\", \"data\": 1}}");
        Ran ran = run("doctor");
        assertThat(ran.out()).doesNotContain("fault");
        assertThat(ran.exitCode()).isZero();
        assertThat(ran.out())
                .contains("counts        mail   ok")
                .contains("status index  mail   ok")
                .contains("daily  ok");
    }

    @Test
    void aDoctorFindsWrongCountersAndMendsTheIndex() {
        run("add mail 1 --id a");
        server.put("/v1/types/mail/status-index", "");
        clear("status_counts");
        Ran found = run("doctor");
        assertThat(found.exitCode()).isEqualTo(1);
        assertThat(found.out())
                .contains("status index  mail  fault")
                .contains("1 of all statuses are counted, 0 listed.");
        Ran mended = run("doctor --mend");
        assertThat(mended.exitCode()).as(mended.out()).isZero();
        assertThat(mended.out()).contains("status index  mail  mended");
        assertThat(run("doctor").exitCode()).isZero();

        clear("counts");
        Ran counters = run("doctor --mend --json");
        assertThat(counters.exitCode()).isEqualTo(1);
        assertThat(counters.out()).contains("0 pending are counted, 1 listed.");
    }

    private void clear(String rows) {
        server.database.run(tx -> {
            tx.clear(server.jobRows().range(Tuple.from(rows, "mail")));
            return rows;
        });
    }

    @Test
    void aDoctorReportsQuarantineAndSaysHowToGiveUp() {
        run("add mail 1 --id a");
        byte[] key = server.jobRows().pack(Tuple.from("data", "mail", "a"));
        byte[] sound = server.database.run(tx -> tx.get(key).join());
        server.database.run(tx -> {
            tx.set(key, new byte[] {0x7F});
            return sound;
        });
        assertThat(server.jobs
                        .processor()
                        .accept(MAIL, AcceptOptions.nonBlocking())
                        .join())
                .isEmpty();
        Ran found = run("doctor");
        assertThat(found.exitCode()).isEqualTo(1);
        assertThat(found.out()).contains("quarantine").contains("fault");
        Ran kept = run("doctor --mend");
        assertThat(kept.exitCode()).isEqualTo(1);
        String id = run("quarantine mail --json")
                .json()
                .get("items")
                .get(0)
                .get("id")
                .stringValue();
        assertThat(kept.out()).contains("couch-jobs quarantine mail " + id + " --remove");
        assertThat(run("quarantine mail " + id + " --remove --yes").exitCode()).isZero();
        assertThat(run("doctor").out()).doesNotContain("quarantine");
    }

    @Test
    void aBenchmarkLeavesNothing() {
        Ran ran = run("bench --jobs 20 --connections 4 --json");
        assertThat(ran.exitCode()).as(ran.err()).isZero();
        assertThat(ran.json().get("items"))
                .hasSize(3)
                .allSatisfy(row -> assertThat(row.get("jobs").asInt()).isEqualTo(20));
        assertThat(run("list").out()).doesNotContain("couch-jobs-bench");
        assertThat(run("workers --json").out()).doesNotContain("couch-jobs-bench");
    }

    @Test
    void thePageNamesTheCommands(@TempDir Path directory) throws IOException, InterruptedException {
        String page = Files.readString(Path.of("../../docs/command-line.md"));
        TreeSet<String> named = Pattern.compile("(?m)^\\| `([a-z-]+)[` ]")
                .matcher(page)
                .results()
                .map(row -> row.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(named).isEqualTo(Typed.commands());

        Ran completion = new Typed().run("completion");
        assertThat(completion.exitCode()).isZero();
        assertThat(completion.out()).contains("run-now");
        Path script = Files.writeString(directory.resolve("completion"), completion.out());
        Process bash =
                new ProcessBuilder("bash", "-n", script.toString()).inheritIO().start();
        assertThat(bash.waitFor()).isZero();
        for (String command : Typed.commands()) {
            assertThat(new Typed().run(command, "--help").out()).startsWith("Usage: couch-jobs " + command);
        }
    }

    /** A proxy before the server knows nothing of problems, and perhaps not even why it refuses. */
    @Test
    void whoeverRefusesACallerIsNotTakenForAnotherServer() throws IOException {
        HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        for (String body : List.of("", "<html>Unauthorized</html>", "{}", "{\"title\": \"Who calls?\"}")) {
            proxy.createContext("/" + body.length(), exchange -> {
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                exchange.sendResponseHeaders(401, body.isEmpty() ? -1 : body.length());
                exchange.getResponseBody().write(body.getBytes(StandardCharsets.UTF_8));
                exchange.close();
            });
        }
        proxy.start();
        try {
            String root = "http://127.0.0.1:" + proxy.getAddress().getPort();
            for (String path : List.of("/0", "/2", "/23")) {
                Ran nobody = new Typed().run("list", "--url", root + path);
                assertThat(nobody.exitCode()).isEqualTo(4);
                assertThat(nobody.err()).contains("COUCH_JOBS_TOKEN").doesNotContain("no reply of a couch-jobs server");
                Ran stranger = new Typed().run("list", "--url", root + path, "--token", "s3cret");
                assertThat(stranger.exitCode()).isEqualTo(4);
                assertThat(stranger.err()).contains("this token").doesNotContain("s3cret");
            }
            Ran html = new Typed().run("list", "--url", root + "/25");
            assertThat(html.err()).doesNotContain("should not have happened");
        } finally {
            proxy.stop(0);
        }
    }
}
