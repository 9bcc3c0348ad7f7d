package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer.Response;
import dev.couchjobs.server.internal.cli.Typed;
import dev.couchjobs.server.internal.cli.Typed.Ran;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** The nodes of a bridge are seen and steered through the API. */
@Timeout(120)
class BridgeTest {
    private static final Map<String, Access> CALLERS = Map.of(
            "reader", Access.of("reader", Role.READ),
            "operator", Access.of("operator", Role.READ, Role.OPERATE),
            "admin", Access.of("admin", Role.ADMIN),
            "of-mail", Access.of("of-mail", Role.READ).onlyTypes("mail"));

    private static final String NODE = "/v1/bridge/nodes/reg_a";
    private static final String SETTINGS = NODE + "/settings";

    private static final TestServer SERVER = TestServer.forEverything();
    private static final TestBridge BRIDGE = TestBridge.start(SERVER);
    private static final TestServer GUARDED = SERVER.another(http -> http.authenticator(
            request -> CompletableFuture.completedFuture(Optional.ofNullable(CALLERS.get(request.getHeader("Name"))))));

    @AfterAll
    static void close() {
        BRIDGE.close();
        GUARDED.close();
        SERVER.close();
    }

    private static Response patch(String body, String... headers) {
        return SERVER.send(SERVER.request("PATCH", SETTINGS, body, headers));
    }

    private static Response as(String caller, String method, String path, String body) {
        return GUARDED.send(GUARDED.request(method, path, body, "Name", caller));
    }

    private static long applied(Response change) {
        long revision = change.body().get("revision").longValue();
        BRIDGE.awaitNode(node -> node.get("appliedRevision").longValue() == revision);
        return revision;
    }

    @Test
    void aNodeIsListedWithItsSettings() {
        JsonNode items = SERVER.get("/v1/bridge/nodes").body().get("items");

        assertThat(items).hasSize(1);
        assertThat(items.get(0).get("name").stringValue()).isEqualTo("reg_a");
        assertThat(items.get(0).get("state").stringValue()).isEqualTo("running");
        assertThat(items.get(0).get("address").stringValue()).startsWith("http://127.0.0.1");
        assertThat(items.get(0).at("/settings/claimTimeout").stringValue()).isEqualTo("PT5M");
        assertThat(SERVER.get("/v1/bridge/nodes/reg_b").problem()).isEqualTo("not-found");
        assertThat(SERVER.get("/v1/bridge/nodes/reg_b/documents").problem()).isEqualTo("not-found");
    }

    @Test
    void workersChangeWhileTheNodeRuns() {
        applied(patch("{'workers': 3, 'memoryLimit': 1073741824}"));
        JsonNode three = BRIDGE.awaitNode(node -> node.at("/settings/workers").intValue() == 3);
        assertThat(three.at("/wanted/workers").intValue()).isEqualTo(3);
        assertThat(three.at("/settings/memoryLimit").longValue()).isEqualTo(1073741824L);

        applied(patch("{'workers': null, 'memoryLimit': null}"));
        JsonNode one = BRIDGE.awaitNode(node -> node.at("/settings/workers").intValue() == 1);
        assertThat(one.get("wanted").has("workers")).isFalse();
        assertThat(one.get("settings").has("memoryLimit")).isFalse();
    }

    @Test
    void aChangeHoldsForWhatItsCallerHasSeen() {
        String tag = SERVER.get(SETTINGS).header("ETag");
        Response first = patch("{'processorLimit': 'PT9S'}", "If-Match", tag, "Idempotency-Key", "change-1");
        Response again = patch("{'processorLimit': 'PT9S'}", "If-Match", tag, "Idempotency-Key", "change-1");
        Response late = patch("{'processorLimit': 'PT8S'}", "If-Match", tag);

        assertThat(first.status()).isEqualTo(200);
        assertThat(first.header("Couch-Jobs-Sequence")).isNotEmpty();
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(late.problem()).isEqualTo("changed");
        applied(patch("{'processorLimit': null}"));
    }

    @Test
    void theDatabaseIsChangedByAdminsAndNeverToAnAddress() {
        assertThat(as("operator", "PATCH", SETTINGS, "{'database': 'other'}").detail())
                .contains("role admin for database");
        assertThat(as("operator", "PATCH", SETTINGS, "{'heartbeat': 'PT2S'}").status())
                .isEqualTo(403);
        assertThat(as("reader", "PATCH", SETTINGS, "{'workers': 2}").status()).isEqualTo(403);
        assertThat(as("of-mail", "GET", NODE, "").status()).isEqualTo(403);
        assertThat(as("reader", "GET", NODE, "").status()).isEqualTo(200);
        assertThat(patch("{'database': 'http://evil.example.org/jobs'}").status())
                .isEqualTo(400);
        assertThat(patch("{'server': 'evil'}").detail()).contains("couchdb.others", "has no evil");
        assertThat(patch("{'concurrency': {'email': 3}}").detail()).contains("has no email");
        assertThat(patch("{'workers': 0}").status()).isEqualTo(400);

        applied(as("admin", "PATCH", SETTINGS, "{'database': 'other'}"));
        assertThat(SERVER.get(NODE).body().get("address").stringValue()).endsWith("/other");
        applied(patch("{'database': null}"));
        BRIDGE.awaitNode(node -> node.get("connected").booleanValue());
    }

    @Test
    void documentsAreListedWithTheirSteps() {
        BRIDGE.put("a", "{'creator': 'reg_a', 'job': [{'target': 'reg_a', 'do': 'exit 3'}]}");
        BRIDGE.put("b", "{'creator': 'reg_a', 'job': [{'target': 'reg_b', 'do': 'true'}]}");
        JsonNode failed = BRIDGE.awaitDocument(
                "a", document -> document.get("state").stringValue().equals("failed"));
        JsonNode waits = BRIDGE.awaitDocument("b", document -> true);

        assertThat(failed.at("/steps/0/runs/0/exitStatus").intValue()).isEqualTo(3);
        assertThat(failed.get("waitsFor").stringValue()).startsWith("the job has failed");
        assertThat(waits.get("waitsFor").stringValue())
                .startsWith("step 0, for reg_b, is not for this node. Ask the bridge of one of its target nodes");
        Response first = SERVER.get(NODE + "/documents?limit=1");
        Response second = SERVER.get(
                NODE + "/documents?limit=1&after=" + first.body().get("next").stringValue());
        assertThat(first.body().at("/items/0/id").stringValue()).isEqualTo("a");
        assertThat(second.body().at("/items/0/id").stringValue()).isEqualTo("b");
        assertThat(SERVER.get(NODE + "/documents/none").problem()).isEqualTo("not-found");
    }

    private static Ran run(String... words) {
        List<String> all = new ArrayList<>(List.of("bridge"));
        all.addAll(List.of(words));
        all.addAll(List.of("--url", SERVER.uri("/").toString()));
        return new Typed().run(all.toArray(new String[0]));
    }

    @Test
    void theCommandLineShowsAndChangesANode() {
        BRIDGE.put("typed", "{'creator': 'reg_a', 'job': [{'target': 'reg_a', 'do': 'true'}]}");
        BRIDGE.awaitDocument(
                "typed", document -> document.get("state").stringValue().equals("success"));

        assertThat(run().lines().get(1)).startsWith("reg_a  running  true");
        assertThat(run("reg_a").out()).contains("address", "heapUsed");
        assertThat(run("reg_a", "--json").out().strip()).startsWith("{\"name\":\"reg_a\"");
        Ran changed = run("reg_a", "--workers", "2", "--memory-limit", "536870912");
        assertThat(changed.out()).startsWith("wanted for reg_a as revision ");
        BRIDGE.awaitNode(node -> node.at("/settings/workers").intValue() == 2);
        assertThat(run("reg_a", "--reset", "workers,memoryLimit").exitCode()).isZero();
        BRIDGE.awaitNode(node -> node.at("/settings/workers").intValue() == 1);
        assertThat(run("reg_a", "--documents", "--all").out()).contains("typed", "success");
        assertThat(run("reg_a", "--document", "typed").out()).contains("the job has ended: all steps have succeeded");
        assertThat(run("reg_a", "--document", "none").exitCode()).isEqualTo(3);
        assertThat(run("reg_b", "--workers", "2").exitCode()).isEqualTo(3);
        assertThat(run("reg_a", "--workers", "0").exitCode()).isEqualTo(2);
        assertThat(run("--documents").exitCode()).isEqualTo(2);
        assertThat(run("reg_a", "--reset", "worker").err()).contains("worker");
        Ran unconfirmed = run("reg_a", "--database", "other");
        assertThat(unconfirmed.exitCode()).isEqualTo(2);
        assertThat(unconfirmed.err()).contains("--yes");
        Ran runs = run("reg_a", "--remove", "--yes");
        assertThat(runs.exitCode()).isEqualTo(3);
    }

    @Test
    void anotherPrefixHasOtherNodes() {
        try (TestServer other = SERVER.another(
                http -> http.bridge("another").authenticator(Authenticator.always(Access.of("test", Role.ADMIN))))) {
            assertThat(other.get("/v1/bridge/nodes").body().get("items")).isEmpty();
        }
    }
}
