package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Dependency;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Retention;
import dev.couchjobs.Worker;
import dev.couchjobs.server.TestServer.Response;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** The jobs of a database, managed over HTTP. */
@Timeout(60)
class ManagementTest {
    private static final JobType<Object, Object> MAIL = JobType.of("mail", Object.class, Object.class);

    private final TestServer server = TestServer.forEverything();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void aJobIsAddedReadAndCancelled() {
        Response added =
                server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': {'to': 'jo', 'n': 12345678901234567890}}");
        assertThat(added.status()).isEqualTo(201);
        assertThat(added.body().get("change").stringValue()).isEqualTo("added");
        assertThat(added.body().get("givenData").stringValue()).isEqualTo("stored");

        Response job = server.get("/v1/types/mail/jobs/a");
        assertThat(job.status()).isEqualTo(200);
        assertThat(job.body().get("state").stringValue()).isEqualTo("pending");
        assertThat(job.body().get("data").toString()).isEqualTo("{\"to\":\"jo\",\"n\":12345678901234567890}");

        Response cancelled = server.post("/v1/types/mail/jobs/a/cancel", "{'reason': 'not wanted'}");
        assertThat(cancelled.body().get("changed").booleanValue()).isTrue();
        assertThat(server.get("/v1/types/mail/jobs/a").body().get("outcome").stringValue())
                .isEqualTo("cancelled");
    }

    @Test
    void whatALibraryAddsIsSeen() {
        server.jobs.add(server.database, MAIL, "b", "hello").join();
        assertThat(server.get("/v1/types").body().get("items").toString()).isEqualTo("[\"mail\"]");
        assertThat(server.get("/v1/types/mail")
                        .body()
                        .get("counts")
                        .get("pending")
                        .longValue())
                .isEqualTo(1);
    }

    @Test
    void aScheduleTellsItsNextTimesAndItsLastJobs() {
        server.put("/v1/schedules/hourly", "{'every': 'PT1H', 'job': {'type': 'mail', 'data': 1}}");
        server.post("/v1/schedules/hourly/run-now", "");
        String id = server.get("/v1/schedules/hourly").body().get("currentJob").stringValue();
        Worker worker = server.jobs.worker().handle(MAIL, job -> "done").start();
        server.get("/v1/types/mail/jobs/" + id.replace(":", "%3A") + "/result?timeout=PT20S");
        worker.close();

        Response firings = server.get("/v1/schedules/hourly/firings?limit=3");
        assertThat(firings.body().get("times")).hasSize(3);
        Instant first = Instant.parse(firings.body().at("/times/0").stringValue());
        assertThat(Instant.parse(firings.body().at("/times/2").stringValue()))
                .isEqualTo(first.plus(Duration.ofHours(2)));
        assertThat(firings.body().get("jobs")).hasSize(2);
        assertThat(firings.body().at("/jobs/0/state").stringValue()).isEqualTo("pending");
        assertThat(firings.body().at("/jobs/1/outcome").stringValue()).isEqualTo("succeeded");
        assertThat(firings.body().at("/jobs/1/lastAttempt/until").isMissingNode())
                .isFalse();
        assertThat(server.get("/v1/schedules/none/firings").status()).isEqualTo(404);
    }

    @Test
    void whatWaitsForAJobIsTold() {
        server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': 1}");
        server.post("/v1/types/bill/jobs", "{'id': 'b', 'data': 1, 'after': [{'type': 'mail', 'id': 'a'}]}");
        server.post("/v1/types/mail/jobs/a/cancel", "{}");

        Response dependents = server.get("/v1/types/mail/jobs/a/dependents");
        Response dependencies = server.get("/v1/types/bill/jobs/b/dependencies");

        assertThat(dependents.body().get("items").toString())
                .isEqualTo("[{\"type\":\"bill\",\"id\":\"b\",\"ifUnsuccessful\":\"wait\",\"state\":\"pending\","
                        + "\"blocked\":true}]");
        assertThat(dependencies.body().get("items").toString())
                .isEqualTo("[{\"type\":\"mail\",\"id\":\"a\",\"ifUnsuccessful\":\"wait\",\"state\":\"finished\","
                        + "\"outcome\":\"cancelled\",\"blocked\":false}]");
        server.delete("/v1/types/mail/jobs/a");
        assertThat(server.get("/v1/types/bill/jobs/b/dependencies")
                        .body()
                        .at("/items/0/state")
                        .stringValue())
                .isEqualTo("not_found");
    }

    @Test
    void aCallerLearnsNothingOfLinkedJobsOfOtherTypes() {
        Access access = Access.of("jo", Role.READ).onlyTypes("mail", "news");
        try (TestServer some = new TestServer(http -> http.authenticator(Authenticator.always(access)))) {
            List<Dependency> before = new ArrayList<>();
            List<NewJob<?>> after = new ArrayList<>();
            for (String type : List.of("hush", "mail", "murmur", "news", "secret")) {
                JobType<Object, Object> of = JobType.of(type, Object.class, Object.class);
                for (int i = 0; i < 3; i++) {
                    some.jobs
                            .add(some.database, NewJob.of(of, (Object) 1).id("before-" + type + i))
                            .join();
                    before.add(Dependency.on(of, "before-" + type + i));
                    after.add(NewJob.of(of, (Object) 1).id("after-" + type + i).after(MAIL, "a"));
                }
            }
            some.jobs
                    .add(some.database, NewJob.of(MAIL, (Object) 1).id("a").after(before))
                    .join();
            some.jobs.addAll(some.database, after).join();

            for (int limit : new int[] {1, 2, 4, 100}) {
                assertThat(linked(some, "dependencies", limit))
                        .containsExactlyInAnyOrder("mail0", "mail1", "mail2", "news0", "news1", "news2");
                assertThat(linked(some, "dependents", limit))
                        .containsExactlyInAnyOrder("mail0", "mail1", "mail2", "news0", "news1", "news2");
            }
        }
    }

    /** {@return the ids on all pages, which tell nothing of the types hush, murmur and secret} */
    private static List<String> linked(TestServer server, String what, int limit) {
        List<String> ids = new ArrayList<>();
        String place = "";
        do {
            JsonNode page = server.get("/v1/types/mail/jobs/a/" + what + "?limit=" + limit + place)
                    .body();
            page.get("items")
                    .forEach(item -> ids.add(item.get("id").stringValue().replaceFirst(".*-", "")));
            String next = page.path("next").asString("");
            String readable = new String(Base64.getUrlDecoder().decode(next), StandardCharsets.ISO_8859_1);
            assertThat(page + readable).doesNotContain("hush", "murmur", "secret");
            place = next.isEmpty() ? "" : "&after=" + next;
        } while (!place.isEmpty());
        return ids;
    }

    @Test
    void allTypesAreReadInPages() {
        for (int i = 0; i < 25; i++) {
            server.post("/v1/types/t" + (10 + i) + "/jobs", "{'data': 1}");
        }
        server.post("/v1/types/t13/pause", "{'reason': 'a release'}");
        Response first = server.get("/v1/type-details?limit=20");
        assertThat(first.body().get("items")).hasSize(20);
        assertThat(first.body().at("/items/3/name").stringValue()).isEqualTo("t13");
        assertThat(first.body().at("/items/3"))
                .isEqualTo(server.get("/v1/types/t13").body());
        assertThat(first.body().at("/items/3/pause/reason").stringValue()).isEqualTo("a release");
        Response second = server.get(
                "/v1/type-details?limit=20&after=" + first.body().get("next").stringValue());
        assertThat(second.body().at("/items/0/name").stringValue()).isEqualTo("t30");
        assertThat(second.body().get("items")).hasSize(5);
        assertThat(second.body().has("next")).isFalse();
    }

    @Test
    void theRetentionOfATypeIsStoredAndCleared() {
        assertThat(server.put("/v1/types/mail/retention", "{'ended': 'PT1H', 'archived': true, 'byGraph': true}")
                        .status())
                .isEqualTo(204);
        assertThat(server.get("/v1/types/mail").body().get("retention").toString())
                .isEqualTo("{\"ended\":\"PT1H\",\"archived\":true,\"byGraph\":true}");
        assertThat(server.jobs.types().getTypeRetention(server.database, MAIL).join())
                .contains(Retention.of(Duration.ofHours(1))
                        .failedForever()
                        .archived()
                        .byGraph());
        server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': 1}");
        server.post("/v1/types/mail/jobs/a/cancel", "");
        JobInfo<?, ?> job =
                server.jobs.getJob(server.database, MAIL, "a").join().orElseThrow();
        assertThat(job.removeAt().orElseThrow()).isBefore(Instant.now().plus(Duration.ofHours(2)));

        assertThat(server.put("/v1/types/mail/retention", "{'ended': 'PT0.5S'}").status())
                .isEqualTo(400);
        assertThat(server.delete("/v1/types/mail/retention").status()).isEqualTo(204);
        assertThat(server.get("/v1/types/mail").body().has("retention")).isFalse();
    }

    @Test
    void aCallerSeesTheDetailsOfItsTypesOnly() {
        Access mail = Access.of("jo", Role.READ).onlyTypes("mail");
        try (TestServer some = new TestServer(http -> http.authenticator(Authenticator.always(mail)))) {
            for (String type : List.of("bills", "mail", "orders")) {
                some.jobs.add(some.database, JobType.of(type, Object.class), 1).join();
            }
            assertThat(some.get("/v1/type-details").body().get("items")).hasSize(1);
            assertThat(some.get("/v1/type-details").body().at("/items/0/name").stringValue())
                    .isEqualTo("mail");
        }
    }

    @Test
    void idsMayContainAnything() {
        for (String id : new String[] {"a%2Fb", "%2E%2E", "%2F%2F", "a%20b%25", "%C3%A4%3F%23", "x;y", "+"}) {
            Response added = server.post("/v1/types/mail/jobs/" + id + "/cancel", "");
            assertThat(added.status()).as(id).isEqualTo(200);
        }
        String id = "../a b/%2F?#ä;+";
        server.jobs.add(server.database, MAIL, id, 1).join();
        assertThat(server.get("/v1/types/mail/jobs/..%2Fa%20b%2F%252F%3F%23%C3%A4%3B+")
                        .body()
                        .get("id")
                        .stringValue())
                .isEqualTo(id);
    }

    @Test
    void pagesGoOn() {
        for (int i = 0; i < 5; i++) {
            server.post("/v1/types/mail/jobs", "{'id': 'j" + i + "', 'data': 1}");
        }
        Response first = server.get("/v1/types/mail/jobs?limit=3");
        String next = first.body().get("next").stringValue();
        Response second =
                server.get("/v1/types/mail/jobs?limit=3&after=" + URLEncoder.encode(next, StandardCharsets.UTF_8));
        assertThat(first.body().get("items")).hasSize(3);
        assertThat(second.body().get("items")).hasSize(2);
        assertThat(second.body().has("next")).isFalse();
    }

    @Test
    void aReadIsNoOlderThanAWrite() {
        Response added = server.post("/v1/types/mail/jobs", "{'data': 1}");
        String sequence = added.header("Couch-Jobs-Sequence");
        assertThat(sequence).matches("[0-9a-f]{20}");
        assertThat(server.get("/v1/types/mail/counts?noOlderThan=" + sequence)
                        .body()
                        .get("pending")
                        .longValue())
                .isEqualTo(1);
        Response tooEarly = server.get("/v1/types/mail/counts?noOlderThan=0fffffffffffffffffff");
        assertThat(tooEarly.status()).isEqualTo(503);
        assertThat(tooEarly.problem()).isEqualTo("not-visible-yet");
    }

    @Test
    void aRepeatedRequestHasNoSecondEffect() {
        Response first = server.post("/v1/types/mail/jobs", "{'data': 1}", "Idempotency-Key", "k1");
        Response again = server.post("/v1/types/mail/jobs", "{'data': 1}", "Idempotency-Key", "k1");
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.header("Idempotent-Replay")).isEqualTo("true");
        assertThat(server.get("/v1/types/mail/counts").body().get("total").longValue())
                .isEqualTo(1);

        Response other = server.post("/v1/types/mail/jobs", "{'data': 2}", "Idempotency-Key", "k1");
        assertThat(other.status()).isEqualTo(422);
        assertThat(other.problem()).isEqualTo("key-reused");
    }

    @Test
    void aChangeNeedsTheTagOfWhatItChanges() {
        server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': 1}");
        String tag = server.get("/v1/types/mail/jobs/a").header("ETag");
        assertThat(server.get("/v1/types/mail/jobs/a", "If-None-Match", tag).status())
                .isEqualTo(304);
        server.post("/v1/types/mail/jobs/a/reprioritise", "{'priority': 5}");

        Response late = server.delete("/v1/types/mail/jobs/a", "If-Match", tag);
        assertThat(late.status()).isEqualTo(412);
        assertThat(server.get("/v1/types/mail/jobs/a").status()).isEqualTo(200);

        String fresh = server.get("/v1/types/mail/jobs/a").header("ETag");
        for (String wrong : List.of(
                "\"x" + fresh + "y\"", fresh + "x", "x" + fresh, fresh.replace("\"", ""), tag + " " + fresh, ",")) {
            assertThat(server.delete("/v1/types/mail/jobs/a", "If-Match", wrong).status())
                    .as(wrong)
                    .isEqualTo(412);
        }
        assertThat(server.delete("/v1/types/mail/jobs/a", "If-Match", tag + ", " + fresh)
                        .body()
                        .get("changed")
                        .booleanValue())
                .isTrue();
    }

    @Test
    void aCallerWaitsForTheEndOfAJob() {
        server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': 1}");
        assertThat(server.get("/v1/types/mail/jobs/a/result?timeout=PT0S").status())
                .isEqualTo(202);
        Worker worker = server.jobs.worker().handle(MAIL, job -> "done").start();
        Response ended = server.get("/v1/types/mail/jobs/a/result?timeout=PT30S");
        worker.close();
        assertThat(ended.status()).isEqualTo(200);
        assertThat(ended.body().get("result").stringValue()).isEqualTo("done");
    }

    @Test
    void whatIsWrongIsSaid() {
        Response unknown = server.post("/v1/types/mail/jobs", "{'data': 1, 'priorty': 2}");
        assertThat(unknown.status()).isEqualTo(400);
        assertThat(unknown.detail()).contains("/priorty").contains("priority");

        Response parameter = server.get("/v1/types/mail/jobs?limt=3");
        assertThat(parameter.detail()).contains("limt").contains("limit");

        Response cron = server.put("/v1/schedules/s", "{'cron': '61 * * * *', 'job': {'type': 'mail', 'data': 1}}");
        assertThat(cron.problem()).isEqualTo("invalid-cron");

        assertThat(server.get("/v1/types/mail/jobs/none").problem()).isEqualTo("not-found");
        assertThat(server.get("/v2").problem()).isEqualTo("no-such-path");
        Response method = server.delete("/v1/workers");
        assertThat(method.status()).isEqualTo(405);
        assertThat(method.header("Allow")).isEqualTo("GET, OPTIONS");
        assertThat(server.post("/v1/types/mail/jobs", "{'data': ").problem()).isEqualTo("malformed-json");
        assertThat(server.post("/v1/types/mail/jobs", "").problem()).isEqualTo("body-missing");
    }

    @Test
    void numbersThatNoIntegerHoldsAreRefused() {
        for (String max : List.of("1e10", "1e99", "-1e999999999", "9999999999999999999")) {
            Response refused = server.put("/v1/types/mail/limits", "{'max': " + max + "}");
            assertThat(refused.status()).as(max).isEqualTo(400);
            assertThat(refused.body().get("type").stringValue()).endsWith("invalid-body");
        }
    }

    @Test
    void whatIsWrongIsSaidInPlainWords() {
        String jobs = "/v1/types/mail/jobs";
        assertThat(server.post(jobs, "{}").detail()).isEqualTo("/data is missing.");
        assertThat(server.post(jobs, "[]").detail()).isEqualTo("The body has to be an object, and is an array.");
        assertThat(server.post(jobs, "{'data': 1, 'priority': 'x'}").detail())
                .isEqualTo("/priority has to be an integer, and is a string.");
        assertThat(server.put("/v1/types/mail/timeout", "{'timeout': '30 seconds'}")
                        .detail())
                .isEqualTo("/timeout has to look like PT30S.");
        assertThat(server.get(jobs + "?limit=0").detail()).isEqualTo("limit has to be 1 or more.");
        assertThat(server.get(jobs + "?state=done").detail())
                .isEqualTo("state has to be one of pending, running, finished.");
    }

    @Test
    void whereTextIsNotJsonIsSaidInPlainWords() {
        for (String[] pair : new String[][] {
            {"{'data': ", "It ends too early (line 1, column 10)."},
            {"{'data': 'a", "It ends too early (line 1, column 12)."},
            {"{'data': 1, x}", "Unexpected character 'x': was expecting double-quote to start property name"},
            {"{'data': 1, 'data': 2}", "Duplicate Object property \"data\" (line 1, column "},
            {"{'data': 1} {}", "There is more behind its end (line 1, column "},
            {"{'data': " + "[".repeat(501) + "}", "It is nested deeper than 500 levels."},
            {"{'data': yes}", "Unrecognized token 'yes'"},
            {"{'data': 'a\nb'}", "Illegal unquoted character CTRL-CHAR"},
        }) {
            String detail = server.post("/v1/types/mail/jobs", pair[0]).detail();
            assertThat(detail).startsWith(pair[1]).endsWith(".");
            assertThat(detail).doesNotContain("Source", "marker", "code ", "`", "StreamRead");
        }
    }

    @Test
    void byDefaultNothingIsWritten() {
        try (TestServer reader = new TestServer(http -> http)) {
            assertThat(reader.get("/v1/types").status()).isEqualTo(200);
            assertThat(reader.post("/v1/types/mail/jobs", "{'data': 1}").problem())
                    .isEqualTo("forbidden");
        }
    }
}
