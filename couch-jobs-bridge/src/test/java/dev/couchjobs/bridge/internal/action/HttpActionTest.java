package dev.couchjobs.bridge.internal.action;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.couchjobs.bridge.internal.document.ActionPlan;
import dev.couchjobs.bridge.testing.TestClient;
import dev.couchjobs.fdb.testing.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

@Timeout(60)
class HttpActionTest {
    private static final ActionContext OCCASION = new ActionContext("job-1", 2, "alpha", 1, Optional.empty());
    private static final JsonNode NOTHING = JsonNodeFactory.instance.nullNode();

    /** The requests that the server has received: method, path and body, then the relevant headers. */
    private final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();

    private final ConcurrentLinkedQueue<String> keys = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> texts = new ConcurrentLinkedQueue<>();
    private final ManualTimers timers = new ManualTimers();
    private HttpServer server;
    private String url;

    @BeforeEach
    void startServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/ok", exchange -> answer(exchange, 200, "fine: ü"));
        server.createContext("/status/", exchange -> answer(exchange, number(exchange), "because"));
        server.createContext("/large", exchange -> answer(exchange, 200, "x".repeat(1_000_000)));
        server.createContext("/later", exchange -> {
            exchange.getResponseHeaders()
                    .set("Retry-After", exchange.getRequestURI().getQuery());
            answer(exchange, 503, "");
        });
        server.createContext("/to/", exchange -> {
            exchange.getResponseHeaders()
                    .set("Location", exchange.getRequestURI().getQuery());
            answer(exchange, number(exchange), "");
        });
        server.createContext("/circle", exchange -> {
            exchange.getResponseHeaders().set("Location", "/circle");
            answer(exchange, 302, "");
        });
        server.createContext("/never", exchange -> seen.add("reached"));
        server.setExecutor(TestClient.THREADS);
        server.start();
        url = "http://localhost:" + server.getAddress().getPort();
    }

    @AfterEach
    void stopServer() {
        server.stop(0);
    }

    @Test
    void aStatusOf2xxIsASuccessWithTheBodyAsItsOutput() {
        ActionResult result = run("GET", "/ok", NOTHING);

        assertThat(result.success()).isTrue();
        assertThat(result.exitStatus()).hasValue(200);
        assertThat(result.output()).isEqualTo("fine: ü");
    }

    @Test
    void aBodyIsSentAsTextOrAsJson() {
        run("POST", "/ok", JsonNodeFactory.instance.stringNode("grüß"));
        run("PUT", "/ok", JsonMapper.shared().readTree("{\"a\": [1]}"));

        assertThat(seen)
                .containsExactly("POST /ok grüß text/plain; charset=utf-8", "PUT /ok {\"a\":[1]} application/json");
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 425, 429, 500, 502, 503, 599})
    void someStatusesAreWorthAnotherTry(int status) {
        ActionResult result = run("GET", "/status/" + status, NOTHING);

        assertThat(result.success()).isFalse();
        assertThat(result.isFinal()).isFalse();
        assertThat(result.exitStatus()).hasValue(status);
        assertThat(result.reason()).hasValue("HTTP status " + status);
        assertThat(result.output()).isEqualTo("because");
    }

    @ParameterizedTest
    @ValueSource(ints = {300, 301, 304, 400, 401, 404, 409, 422})
    void otherStatusesAreNot(int status) {
        ActionResult result = run("GET", "/status/" + status, NOTHING);

        assertThat(result.success()).isFalse();
        assertThat(result.isFinal()).isTrue();
        assertThat(result.exitStatus()).hasValue(status);
    }

    @Test
    void aServerMaySayWhenToComeAgain() {
        assertThat(run("GET", "/later?17", NOTHING).retryAfter()).hasValue(Duration.ofSeconds(17));
        assertThat(run("GET", "/later?Sat,%2021%20Nov%202026%2012:00:30%20GMT", NOTHING)
                        .retryAfter())
                .hasValue(Duration.ofSeconds(30));
        assertThat(run("GET", "/later?Sat,%2021%20Nov%202026%2011:00:00%20GMT", NOTHING)
                        .retryAfter())
                .hasValue(Duration.ZERO);
        assertThat(run("GET", "/later?99999999999", NOTHING).retryAfter()).hasValue(Duration.ofDays(1));
        assertThat(run("GET", "/later?soon", NOTHING).retryAfter()).isEmpty();
    }

    @Test
    void ofALargeAnswerTheBeginningIsRead() {
        ActionResult result = run("GET", "/large", NOTHING);

        assertThat(result.success()).isTrue();
        assertThat(result.isOutputCut()).isTrue();
        assertThat(result.output()).hasSize(ShellSettings.DEFAULT_OUTPUT_LIMIT);
    }

    @Test
    void aServerThatDoesNotAnswerInTimeMayBeTriedAgain() throws Exception {
        CompletableFuture<ActionResult> result =
                start(plan("GET", url + "/never", Map.of(), NOTHING, Optional.of(Duration.ofSeconds(7))), OCCASION);
        timers.fire(Duration.ofSeconds(7));

        assertThat(result.join().isFinal()).isFalse();
        assertThat(result.join().reason()).hasValue("no answer within 7 s");
    }

    @Test
    void theTimeOfAStepEndsARequestThatWouldWaitLonger() throws Exception {
        ActionContext context = new ActionContext("job", 0, "alpha", 1, Optional.of(Duration.ofSeconds(3)));
        CompletableFuture<ActionResult> result =
                start(plan("GET", url + "/never", Map.of(), NOTHING, Optional.of(Duration.ofSeconds(7))), context);
        timers.fire(Duration.ofSeconds(3));

        assertThat(result.join().reason()).hasValue("no answer within 3 s");
    }

    @Test
    void aServerThatIsNotThereMayBeTriedAgain() {
        int port = Ports.free();
        ActionResult result = start(
                        plan("GET", "http://localhost:" + port, Map.of(), NOTHING, Optional.empty()), OCCASION)
                .join();

        assertThat(result.success()).isFalse();
        assertThat(result.isFinal()).isFalse();
        assertThat(result.reason().orElseThrow()).startsWith("no answer from localhost:" + port + ": ConnectException");
    }

    @Test
    void aRedirectIsFollowed() {
        assertThat(run("GET", "/to/302?/ok", NOTHING).output()).isEqualTo("fine: ü");
        run("POST", "/to/303?/ok", JsonNodeFactory.instance.stringNode("x"));
        run("POST", "/to/307?/ok", JsonNodeFactory.instance.stringNode("x"));

        assertThat(seen).contains("GET /ok  null", "POST /ok x text/plain; charset=utf-8");
    }

    @Test
    void aCircleOfRedirectsEnds() {
        ActionResult result = run("GET", "/circle", NOTHING);

        assertThat(result.isFinal()).isTrue();
        assertThat(result.exitStatus()).hasValue(302);
        assertThat(result.reason()).hasValue("the server redirects more than 5 times");
        assertThat(seen).hasSize(6);
    }

    @Test
    void aRedirectToAHostThatIsNotAllowedIsRefused() {
        ActionResult result = run("GET", "/to/302?http://127.0.0.1:1/", NOTHING);

        assertThat(result.isFinal()).isTrue();
        assertThat(result.exitStatus()).hasValue(302);
        assertThat(result.reason().orElseThrow()).contains("the server redirects", "127.0.0.1:1 is not on the list");
    }

    @Test
    void allTriesOfAStepHaveOneIdempotencyKeyAndOtherStepsOthers() {
        ActionPlan.Http plan = plan("GET", url + "/ok", Map.of(), NOTHING, Optional.empty());
        List.of(
                        new ActionContext("j", 0, "alpha", 1, Optional.empty()),
                        new ActionContext("j", 0, "beta", 2, Optional.empty()),
                        new ActionContext("j", 1, "alpha", 1, Optional.empty()),
                        new ActionContext("j", 0, "alpha", 1, Optional.empty(), true),
                        new ActionContext("j", 0, "beta", 1, Optional.empty(), true))
                .forEach(context -> start(plan, context).join());
        start(plan("GET", url + "/ok", Map.of("idempotency-key", "mine"), NOTHING, Optional.empty()), OCCASION)
                .join();

        List<String> sent = List.copyOf(keys);
        assertThat(sent.get(0)).isEqualTo(sent.get(1));
        assertThat(sent.subList(1, 6)).doesNotHaveDuplicates();
        assertThat(sent.get(5)).isEqualTo("mine");
    }

    @Test
    void noHostIsAllowedUnlessTheOperatorSaysSo() {
        ActionResult result = actions(HttpSettings.off())
                .of(plan("GET", "https://example.org/x", Map.of(), NOTHING, Optional.empty()))
                .run(OCCASION)
                .join();

        assertThat(result.isFinal()).isTrue();
        assertThat(result.reason().orElseThrow()).contains("example.org is not on the list", "http.hosts");
    }

    @Test
    void whatCannotBeSentIsRefused() {
        assertRefused(plan("GET", "no url", Map.of(), NOTHING, Optional.empty()), "is not a URL");
        assertRefused(plan("GET", "file:///etc/passwd", Map.of(), NOTHING, Optional.empty()), "http or https");
        assertRefused(plan("G T", url + "/ok", Map.of(), NOTHING, Optional.empty()), "cannot be sent");
        assertRefused(plan("GET", url + "/ok", Map.of("Host", "x"), NOTHING, Optional.empty()), "Host");
        assertRefused(
                plan("GET", url.replace("http://", "http://me:secret@") + "/ok", Map.of(), NOTHING, Optional.empty()),
                "credentials");
        JsonNode large = JsonNodeFactory.instance.stringNode("x".repeat(HttpSettings.DEFAULT_REQUEST_LIMIT + 1));
        assertRefused(plan("POST", url + "/ok", Map.of(), large, Optional.empty()), "1048577 bytes");
        assertThat(seen).isEmpty();
    }

    @Test
    void aCancelledRequestIsGivenUp() throws InterruptedException {
        CompletableFuture<ActionResult> result =
                start(plan("GET", url + "/never", Map.of(), NOTHING, Optional.empty()), OCCASION);
        result.cancel(true);

        timers.awaitNone();
    }

    @Test
    void aHeaderArrivesAsItIsOrTheStepFails() {
        Set<String> sent = IntStream.concat(IntStream.range(0, 0x180), IntStream.of(0x2022, 0xD800, 0x1F600))
                .filter(character -> character != '\t') // the server of this test makes a blank of it
                .mapToObj(character -> "a" + Character.toString(character) + "b")
                .filter(header -> start(withHeader(header), OCCASION).join().success())
                .collect(Collectors.toSet());

        assertThat(texts).containsExactlyInAnyOrderElementsOf(sent).hasSize(95);
        assertThat(sent).contains("a b", "a~b");
        assertRefused(
                withHeader("Łódź"),
                "this request cannot be sent: the header \"X-Text\" has the character U+0141; a header has only the"
                        + " printable characters of US-ASCII, so encode the others");
    }

    private ActionPlan.Http withHeader(String text) {
        return plan("GET", url + "/ok", Map.of("X-Text", text), NOTHING, Optional.empty());
    }

    @Test
    void anAddressArrivesAsItIs() {
        start(plan("GET", url + "/ok/Łódź?né=😀", Map.of(), NOTHING, Optional.empty()), OCCASION)
                .join();

        assertThat(seen).containsExactly("GET /ok/Łódź  null");
    }

    private void assertRefused(ActionPlan.Http plan, String reason) {
        ActionResult result = start(plan, OCCASION).join();
        assertThat(result.success()).isFalse();
        assertThat(result.isFinal()).isTrue();
        assertThat(result.reason().orElseThrow()).contains(reason);
    }

    private ActionResult run(String method, String path, JsonNode body) {
        return start(plan(method, url + path, Map.of(), body, Optional.empty()), OCCASION)
                .join();
    }

    private CompletableFuture<ActionResult> start(ActionPlan.Http plan, ActionContext context) {
        return actions(HttpSettings.off().allowing(HostAllowList.of(List.of("localhost:*"))))
                .of(plan)
                .run(context);
    }

    private Actions actions(HttpSettings settings) {
        return new Actions(ShellSettings.off(), settings, Map.of(), Map.of(), timers.environment(), TestClient.THREADS);
    }

    private static ActionPlan.Http plan(
            String method, String url, Map<String, String> headers, JsonNode body, Optional<Duration> timeout) {
        return new ActionPlan.Http(method, url, headers, body, timeout);
    }

    private void answer(HttpExchange exchange, int status, String body) throws IOException {
        String sent = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        seen.add(exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath() + " " + sent + " "
                + exchange.getRequestHeaders().getFirst("Content-Type"));
        Optional.ofNullable(exchange.getRequestHeaders().getFirst("X-Text")).ifPresent(texts::add);
        keys.add(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        boolean hasBody = bytes.length > 0 && IntStream.of(304).noneMatch(none -> none == status);
        exchange.sendResponseHeaders(status, hasBody ? bytes.length : -1);
        try (exchange) {
            if (hasBody) {
                exchange.getResponseBody().write(bytes);
            }
        }
    }

    private static int number(HttpExchange exchange) {
        return Integer.parseInt(exchange.getRequestURI().getPath().replaceAll("\\D", ""));
    }
}
