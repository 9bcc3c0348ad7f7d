package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer.Response;
import dev.couchjobs.server.internal.cli.Typed;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Whatever can be added can be read, listed, changed and removed by its name, over HTTP and by the command line. */
@Timeout(120)
class HostileNamesTest {
    /** Refused where it is new, or good for everything. */
    private static final List<String> NAMES = List.of(
            "a/b",
            "/",
            "//",
            "/a/",
            "a%2Fb",
            "%",
            "%zz",
            "%00",
            "a?b",
            "?x=y",
            "a#b",
            "#",
            "a b",
            " ",
            " a ",
            "a+b",
            "+",
            "a;b",
            ";jsessionid=1",
            "a\\b",
            "\\\\",
            ".a",
            "...",
            ". .",
            "a..b",
            ".",
            "..",
            "./a",
            "a&b=c",
            "=",
            "a:b",
            "a,b",
            "*",
            "@",
            "@a",
            "@@a",
            "$HOME",
            "${a}",
            "`a`",
            "'a'",
            "\"",
            "\"a\"",
            "<b>",
            "|",
            "~",
            "^",
            "[a]",
            "{a}",
            "--a",
            "-x",
            "--",
            "-",
            "null",
            "undefined",
            "true",
            "0",
            "-1",
            "1e400",
            "__proto__",
            "constructor",
            "\u00fc",
            "u\u0308",
            "\u0130",
            "\u00df",
            "\u05e9\u05dc\u05d5\u05dd",
            "\u202eabc",
            "\u200b",
            "\ufeff",
            "\ufffd",
            "\u00a0",
            "\ud83d\ude00",
            "\ud83d\udc69\u200d\ud83d\udcbb",
            "\ud835\udcd0",
            "e\u0301\u0302\u0303",
            "\u0000",
            "a\nb",
            "\r\n",
            "\u007f",
            "\u0085",
            "\u2028",
            "x".repeat(500),
            "\u20ac".repeat(160));

    /** The profile long tries all of them. */
    private static final List<String> SAMPLE = Boolean.getBoolean("long")
            ? NAMES
            : List.of(
                    "a/b",
                    "//",
                    "a%2Fb",
                    "%",
                    "a?b",
                    "a#b",
                    "a b",
                    "+",
                    ";x=1",
                    "\\",
                    "...",
                    "=",
                    "\"a\"",
                    "@@a",
                    "--a",
                    "__proto__",
                    "\u202eabc",
                    "\ud83d\ude00",
                    ".",
                    "a\nb",
                    "\u0000",
                    "x".repeat(500));

    private static final TestServer SERVER = TestServer.forEverything();

    @AfterAll
    static void close() {
        SERVER.close();
    }

    static Stream<String> names() {
        return SAMPLE.stream();
    }

    /** As {@code encodeURIComponent}, which leaves dots alone. */
    private static String encoded(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static String path(String template, String... names) {
        String path = template;
        for (String name : names) {
            path = path.replaceFirst("\\{}", encoded(name).replace("$", "\\$"));
        }
        return path;
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** JSON is sent as it is: names have quotation marks and apostrophes. */
    private static Response send(String method, String path, Optional<JsonNode> body) {
        var request = java.net.http.HttpRequest.newBuilder(SERVER.uri(path))
                .method(
                        method,
                        body.map(json -> java.net.http.HttpRequest.BodyPublishers.ofString(json.toString()))
                                .orElseGet(java.net.http.HttpRequest.BodyPublishers::noBody));
        if (body.isPresent()) {
            request.header("Content-Type", "application/json");
        }
        Response response = SERVER.send(request.build());
        assertThat(response.status())
                .as("%s %s: %s", method, path, response.body())
                .isLessThan(500);
        return response;
    }

    private static Response send(String method, String path) {
        return send(method, path, Optional.empty());
    }

    private static void done(String method, String path, ObjectNode body) {
        Response response = send(method, path, Optional.of(body));
        assertThat(response.status())
                .as("%s %s: %s", method, path, response.body())
                .isBetween(200, 204);
    }

    private static void done(String method, String path) {
        Response response = send(method, path);
        assertThat(response.status())
                .as("%s %s: %s", method, path, response.body())
                .isBetween(200, 204);
    }

    private static JsonNode got(String path) {
        Response response = send("GET", path);
        assertThat(response.status()).as("GET %s: %s", path, response.body()).isEqualTo(200);
        return response.body();
    }

    /** {@return whether something new has been accepted; otherwise the reason has been checked} */
    private static boolean isAccepted(Response added) {
        if (added.status() >= 400) {
            assertThat(added.status()).isEqualTo(400);
            assertThat(added.detail()).isNotEmpty();
            return false;
        }
        return true;
    }

    private static List<String> all(JsonNode page, String field) {
        List<String> found = new ArrayList<>();
        page.path("items")
                .forEach(item -> found.add(
                        item.isString() ? item.stringValue() : item.path(field).asString()));
        return found;
    }

    @ParameterizedTest
    @MethodSource("names")
    void jobs(String id) {
        if (!isAccepted(send(
                "POST", "/v1/types/ids/jobs", Optional.of(object().put("id", id).put("data", 1))))) {
            return;
        }
        String job = path("/v1/types/ids/jobs/{}", id);
        assertThat(got(job).path("id").asString()).isEqualTo(id);
        assertThat(all(got("/v1/types/ids/jobs"), "id")).contains(id);
        got(job + "/attempts");
        got(job + "/why");
        got(job + "/log");
        got(job + "/dependents");
        got(job + "/dependencies");
        done("POST", job + "/reprioritise", object().put("priority", 3));
        done("POST", job + "/reschedule", object().put("at", "2050-01-01T00:00:00Z"));
        assertThat(got(job).path("priority").asInt()).isEqualTo(3);
        done("POST", job + "/run-now");
        assertThat(send("GET", job + "/result").status()).isEqualTo(202);
        done("POST", job + "/cancel");
        assertThat(got(job + "/result").path("outcome").asString()).isEqualTo("cancelled");
        assertThat(send("DELETE", job).body().path("changed").asBoolean(true)).isTrue();
        assertThat(send("GET", job).status()).isEqualTo(404);
    }

    @ParameterizedTest
    @MethodSource("names")
    void types(String type) {
        String jobs = path("/v1/types/{}/jobs", type);
        if (!isAccepted(send(
                "POST",
                "/v1/jobs",
                Optional.of(object().set(
                                "jobs",
                                JsonNodeFactory.instance
                                        .arrayNode()
                                        .add(object().put("type", type)
                                                .put("id", "a")
                                                .put("data", 1))))))) {
            return;
        }
        assertThat(all(got("/v1/types"), "name")).contains(type);
        assertThat(got(jobs + "/a").path("type").asString()).isEqualTo(type);
        assertThat(got(path("/v1/types/{}/counts", type)).path("pending").asInt())
                .isEqualTo(1);
        done("POST", path("/v1/types/{}/pause", type), object().put("reason", type));
        assertThat(got(path("/v1/types/{}", type)).toString()).contains("pause");
        done("POST", path("/v1/types/{}/resume", type));
        done("PUT", path("/v1/types/{}/limits", type), object().put("max", 5));
        done("PUT", path("/v1/types/{}/limits", type), object());
        done("PUT", path("/v1/types/{}/timeout", type), object().put("timeout", "PT40S"));
        got(path("/v1/types/{}/feed", type) + "?since=0");
        got(path("/v1/types/{}/jobs/a/feed", type) + "?since=0");
        done("DELETE", jobs + "/a");
    }

    @ParameterizedTest
    @MethodSource("names")
    void tagsKeysAndHeaders(String name) {
        for (Function<ObjectNode, JsonNode> put : List.<Function<ObjectNode, JsonNode>>of(
                job -> job.set("tags", JsonNodeFactory.instance.arrayNode().add(name)),
                job -> job.put("limitKey", name),
                job -> job.put("turnKey", name),
                job -> job.put("sequence", name),
                job -> job.set("headers", object().put(name, name)),
                job -> job.set("unique", object().put("key", name)))) {
            ObjectNode job = object().put("data", name).put("id", "a");
            var unused = put.apply(job);
            if (!isAccepted(send("POST", "/v1/types/keys/jobs", Optional.of(job)))) {
                continue;
            }
            JsonNode read = got("/v1/types/keys/jobs/a");
            assertThat(read.path("data").asString()).isEqualTo(name);
            if (job.has("tags")) {
                assertThat(read.path("tags").get(0).asString()).isEqualTo(name);
                assertThat(all(got("/v1/types/keys/jobs?tag=" + encoded(name)), "id"))
                        .containsExactly("a");
            } else if (job.has("headers")) {
                assertThat(read.path("headers").path(name).asString()).isEqualTo(name);
            } else if (job.has("limitKey")) {
                assertThat(read.path("limitKey").asString()).isEqualTo(name);
                String key = path("/v1/types/keys/limit-keys/{}", name);
                done("PUT", key, object().put("max", 2));
                assertThat(got(key).path("key").asString(name)).isEqualTo(name);
                done("POST", key + "/pause");
                assertThat(all(got("/v1/types/keys/limit-keys"), "key")).contains(name);
                done("POST", key + "/resume");
                done("PUT", key, object());
            } else {
                assertThat(read.toString())
                        .contains(JsonNodeFactory.instance.stringNode(name).toString());
            }
            done("DELETE", "/v1/types/keys/jobs/a");
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void schedulesBatchesAndWorkers(String name) {
        String schedule = path("/v1/schedules/{}", name);
        if (!name.equals(".") && !name.equals("..")) {
            ObjectNode body = object().put("every", "PT1H");
            body.set("job", object().put("type", "scheduled").put("data", 1));
            if (isAccepted(send("PUT", schedule, Optional.of(body)))) {
                assertThat(got(schedule).path("name").asString()).isEqualTo(name);
                assertThat(all(got("/v1/schedules"), "name")).contains(name);
                done("POST", schedule + "/pause");
                done("POST", schedule + "/resume");
                done("POST", schedule + "/run-now");
                got(schedule + "/firings");
                done("DELETE", schedule);
            }
            String batch = path("/v1/batches/{}", name);
            if (isAccepted(send("PUT", batch, Optional.of(object())))) {
                assertThat(got(batch).path("name").asString(name)).isEqualTo(name);
                done("POST", batch + "/seal");
                done("DELETE", batch);
            }
            String worker = path("/v1/workers/{}", name);
            if (isAccepted(send("POST", worker + "/pause"))) {
                assertThat(all(got("/v1/worker-pauses"), "name")).contains(name);
                done("POST", worker + "/resume");
            }
            String topic = path("/v1/topics/{}", name);
            if (isAccepted(send("PUT", topic, Optional.of(object())))) {
                assertThat(got(topic).path("name").asString()).isEqualTo(name);
                assertThat(all(got("/v1/topics"), "name")).contains(name);
                ObjectNode message = object().put("value", name).put("key", name);
                message.set("headers", object().put(name, name));
                done(
                        "POST",
                        topic + "/messages",
                        object().set(
                                        "messages",
                                        JsonNodeFactory.instance.arrayNode().add(message)));
                assertThat(got(topic + "/latest?key=" + encoded(name))
                                .path("value")
                                .asString())
                        .isEqualTo(name);
                String group = path("/v1/topics/{}/groups/{}", name, name);
                done("PUT", group, object());
                assertThat(all(got(topic + "/groups"), "name")).contains(name);
                done("DELETE", group);
                done("DELETE", topic);
            }
        }
    }

    /** Every path takes every name: it may say that there is no such thing, and not that there is no such path. */
    @Test
    void everyPathTakesEveryName() {
        List<String> faults = new ArrayList<>();
        TreeSet<String> seen = new TreeSet<>();
        JsonNode paths = SERVER.get("/openapi.json").body().get("paths");
        for (String template : paths.propertyNames()) {
            if (!template.contains("{") || !paths.get(template).has("get") || template.contains("feed")) {
                continue;
            }
            for (String name : SAMPLE) {
                if (name.equals(".") || name.equals("..") || name.equals("\u0000")) {
                    continue; // nothing can be called so: clients resolve dots, and servers refuse zeros
                }
                String path = template.replace("{partition}", "0")
                        .replaceAll("\\{\\w+}", encoded(name).replace("$", "\\$"));
                Response response = send("GET", path);
                seen.add(response.status() + " " + response.problem());
                if (response.problem().matches("no-such-path|malformed-.*|method-not-allowed|wrong-host")
                        || (response.status() > 404 && !response.problem().equals("not-indexed"))) {
                    faults.add(path + " " + response.status() + " " + response.body());
                }
            }
        }
        assertThat(faults).isEmpty();
        assertThat(seen).contains("404 not-found");
    }

    private static Typed.Ran run(String... words) {
        List<String> all = new ArrayList<>(List.of("--url", SERVER.uri("/").toString()));
        all.addAll(List.of(words));
        return new Typed().run(all.toArray(new String[0]));
    }

    @Test
    void theCommandLineTakesWhatCanBeAdded() {
        List<String> faults = new ArrayList<>();
        for (String name : SAMPLE) {
            Typed.Ran added = run("add", "typed", "1", "--id=" + name, "--tag=" + name, "--json");
            if (added.exitCode() != 0) {
                assertThat(added.exitCode()).as(added.err()).isEqualTo(2);
                assertThat(added.err()).doesNotContain("should not have happened");
                continue;
            }
            Typed.Ran shown = run("show", "--json", "--", "typed", name);
            Typed.Ran listed = run("list", "--json", "--tag=" + name, "typed");
            Typed.Ran cancelled = run("cancel", "--", "typed", name);
            Typed.Ran removed = run("remove", "--yes", "--", "typed", name);
            if (shown.exitCode() != 0
                    || !shown.json().path("id").asString().equals(name)
                    || !listed.out().contains("\"id\"")
                    || cancelled.exitCode() != 0
                    || removed.exitCode() != 0) {
                faults.add(name + ": " + shown + listed + cancelled + removed);
            }
        }
        assertThat(faults).isEmpty();
    }
}
