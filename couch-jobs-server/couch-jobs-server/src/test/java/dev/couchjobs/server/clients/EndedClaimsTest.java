package dev.couchjobs.server.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.clients.Answer.After;
import dev.couchjobs.server.clients.Answer.Meaning;
import dev.couchjobs.server.clients.ScriptedServer.Request;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Part of the conformance suite of rfc/032: for each outcome of a handler, and each answer of a server to the request
 * that tells it, a worker ends the claim with a result, or with a failure that names the cause, or it learns that it has
 * lost the claim. If the server takes none of its requests, the worker gives the claim up. Each takes a bounded time.
 */
@Timeout(180)
@Tag("processes")
class EndedClaimsTest {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Pattern VERB = Pattern.compile("/v1/work/types/\\w+/jobs/(\\w+)/(\\w+)");
    private static final Map<String, String> SETTINGS =
            Map.of("COUCH_JOBS_CONCURRENCY", "60", "COUCH_JOBS_GIVE_UP_AFTER", "5000");
    /** A job that runs until it is told to stop, so that the worker sends heartbeats, and says nothing itself. */
    private static final String KEEPER = "keeper";

    private static final int MOST_REQUESTS = 60;
    private static final int MOST_ODD = 40;
    private static final int LARGE = 8_000_000;

    /** What a handler does. */
    private enum Outcome {
        VALUE("{'as': 'value'}"),
        ERROR("{'as': 'error'}"),
        CANCELLATION("{'as': 'cancellation'}");

        private final String data;

        Outcome(String data) {
            this.data = data.replace('\'', '"');
        }

        boolean isResult() {
            return this == VALUE;
        }
    }

    /** A claim, and what its worker says of it. */
    private static final class Cell {
        private final String name;
        private final String type;
        private final String data;
        private final Answer answer;
        private final boolean always;
        /** Requests that are the same follow each other. */
        private final List<Request> requests = new ArrayList<>();

        private @Nullable Request taken;
        private @Nullable JsonNode body;
        private String text = "";
        private @Nullable String halt;
        private int requestsWhenTold;
        private Consumer<SoftAssertions> check = softly -> {};

        private Cell(String name, String type, String data, Answer answer, boolean always) {
            this.name = name;
            this.type = type;
            this.data = data;
            this.answer = answer;
            this.always = always;
        }

        private long steps() {
            return new HashSet<>(requests).size();
        }

        private long stepsSinceTold() {
            return new HashSet<>(requests.subList(requestsWhenTold, requests.size())).size();
        }

        private static String verb(Request request) {
            return request.path().substring(request.path().lastIndexOf('/') + 1);
        }

        private String error() {
            return body == null ? "" : body.path("error").path("message").asString("");
        }

        private String result() {
            return body == null ? "" : body.path("result").asString("");
        }

        private void assertFailed(SoftAssertions softly) {
            softly.assertThat(taken).as(name).isNotNull();
            if (taken != null && body != null) {
                softly.assertThat(verb(taken)).as(name).isEqualTo("fail");
                softly.assertThat(body.at("/error/type").asString(""))
                        .as(name)
                        .isNotBlank()
                        .hasSizeLessThan(301);
                softly.assertThat(body.at("/error/message").isString()).as(name).isTrue();
            }
        }

        @Override
        public String toString() {
            return name + " " + requests.stream().map(Cell::verb).toList();
        }
    }

    /** A server that hands out the claims, and answers to what is said of them. */
    private static final class Claims implements ScriptedServer.Script {
        private final Map<String, Cell> cells = new LinkedHashMap<>();
        private final Deque<String> waiting = new ArrayDeque<>();
        private final Deque<Answer> answersToClaims;
        private final Deque<Answer> answersToHeartbeats;
        private final CountDownLatch end = new CountDownLatch(1);
        private final CompletableFuture<Void> atRest = new CompletableFuture<>();
        private boolean isTurnOfBad = true;
        private Set<String> held = Set.of();
        private int heartbeatsAtRest;

        /** @param bad the answers to claims and heartbeats, besides good ones */
        Claims(List<Cell> all, List<Answer> bad) {
            answersToClaims = new ArrayDeque<>(bad);
            answersToHeartbeats = new ArrayDeque<>(bad);
            waiting.add(KEEPER);
            for (Cell cell : all) {
                String id = "c" + cells.size();
                cells.put(id, cell);
                waiting.add(id);
            }
        }

        synchronized List<Cell> held() {
            return held.stream().filter(cells::containsKey).map(cells::get).toList();
        }

        synchronized boolean isAsked(Cell cell) {
            return !cell.requests.isEmpty();
        }

        @Override
        public synchronized Answer answer(Request request) {
            Matcher verb = VERB.matcher(request.path());
            Cell cell = verb.matches() && !verb.group(2).equals("update") ? cells.get(verb.group(1)) : null;
            if (cell != null) {
                cell.requests.add(request);
                return cell.always || request.equals(cell.requests.get(0)) ? cell.answer : Answer.GOOD;
            }
            // A worker repeats its calls: each second one gets a good answer.
            Deque<Answer> bad = switch (request.path()) {
                case "/v1/work/claims" -> answersToClaims;
                case "/v1/work/heartbeats" -> answersToHeartbeats;
                default -> new ArrayDeque<>();
            };
            isTurnOfBad = !isTurnOfBad;
            return !isTurnOfBad || bad.isEmpty() ? Answer.GOOD : bad.remove();
        }

        @Override
        public Answer answer(Request request, byte[] body, Answer first) {
            try {
                Answer answer = answer(request, JSON.readTree(body), first);
                keepText(request, new String(body, UTF_8));
                return answer;
            } catch (JacksonException e) {
                atRest.completeExceptionally(new AssertionError("no JSON: " + request, e));
                return first;
            }
        }

        private Answer answer(Request request, JsonNode body, Answer first) {
            Matcher verb = VERB.matcher(request.path());
            if (verb.matches() && !verb.group(2).equals("update")) {
                return end(verb.group(1), request, body, first);
            }
            if (first.meaning() != Meaning.DONE) {
                return first;
            }
            return switch (request.path()) {
                case "/v1/work/claims" -> claims(body);
                case "/v1/work/heartbeats" -> heartbeats(body);
                case "/v1/types/seen/jobs" -> seen(body);
                default -> first;
            };
        }

        private synchronized Answer end(String id, Request request, JsonNode body, Answer first) {
            Cell cell = cells.get(id);
            if (cell != null && first.meaning() == Meaning.DONE && cell.taken == null) {
                cell.taken = request;
                cell.body = body;
            }
            return first;
        }

        private synchronized void keepText(Request request, String text) {
            cells.values().stream().filter(cell -> request.equals(cell.taken)).forEach(cell -> cell.text = text);
        }

        /** The handler has seen the halt. */
        private synchronized Answer seen(JsonNode body) {
            Cell cell = cells.get(body.path("id").asString());
            if (cell != null) {
                cell.body = body;
            }
            return Answer.reply("{\"id\": \"" + body.path("id").asString() + "\"}");
        }

        private Answer claims(JsonNode body) {
            boolean isPatient = !body.path("wait").asString().equals("PT0S");
            List<String> claims = new ArrayList<>();
            synchronized (this) {
                while (isPatient && claims.size() < body.path("max").intValue() && !waiting.isEmpty()) {
                    claims.add(claim(waiting.remove()));
                }
            }
            if (isPatient && claims.isEmpty()) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            return Answer.reply("{\"order\": \"run\", \"claims\": [" + String.join(",", claims) + "]}");
        }

        private String claim(String id) {
            Cell cell = cells.get(id);
            return """
                    {"type": "%s", "id": "%s", "lock": "%s", "claim": 1, "attempt": 1, "headers": {}, \
                    "timeout": "PT1S", "data": %s}""".formatted(cell == null ? "together" : cell.type, id, id, cell == null ? "1000000" : cell.data);
        }

        private synchronized Answer heartbeats(JsonNode body) {
            List<String> locks = new ArrayList<>();
            body.path("claims").forEach(claim -> locks.add(claim.path("lock").asString()));
            held = Set.copyOf(locks);
            // A heartbeat may have been on its way when the last claim was handed out, the second one was not.
            heartbeatsAtRest = waiting.isEmpty() && held.equals(Set.of(KEEPER)) ? heartbeatsAtRest + 1 : 0;
            boolean isAtRest = heartbeatsAtRest > 1;
            if (isAtRest) {
                atRest.complete(null);
            }
            String results = locks.stream()
                    .map(lock -> "{\"result\": \"" + (isAtRest ? "cancelled" : result(lock)) + "\"}")
                    .collect(Collectors.joining(","));
            return Answer.reply("{\"order\": \"%s\", \"claims\": [%s]}".formatted(isAtRest ? "drain" : "run", results));
        }

        private String result(String lock) {
            Cell cell = cells.get(lock);
            if (cell == null || cell.halt == null || (cell.always && cell.requests.isEmpty())) {
                return "renewed";
            }
            if (cell.requestsWhenTold == 0) {
                cell.requestsWhenTold = cell.requests.size();
            }
            return cell.halt;
        }
    }

    private static void run(ClientKit kit, List<Cell> cells) throws Exception {
        run(kit, new Claims(cells, List.of()), cells);
    }

    private static void run(ClientKit kit, Claims claims, List<Cell> cells) throws Exception {
        try (ScriptedServer server = new ScriptedServer(claims);
                ClientProcess program =
                        ClientProcess.start(kit.with(SETTINGS), kit.conformance(), server.uri(), "ending")) {
            try {
                claims.atRest.get(150, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                throw new AssertionError(
                        "held: " + claims.held() + ", not asked: "
                                + cells.stream()
                                        .filter(cell -> !claims.isAsked(cell))
                                        .toList() + program.output(),
                        e);
            }
            assertThat(program.awaitExit()).as(program.output()).isZero();
            claims.end.countDown();
        }
        synchronized (claims) {
            SoftAssertions.assertSoftly(softly -> cells.forEach(cell -> cell.check.accept(softly)));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.couchjobs.server.clients.ClientKit#all")
    void eachOutcomeEndsTheClaimAfterEachAnswer(ClientKit kit) throws Exception {
        List<Cell> cells = new ArrayList<>();
        for (Answer answer : Answer.all()) {
            cells.add(cell(Outcome.VALUE, answer, true)); // first, as these take the longest time
            cells.add(cell(Outcome.ERROR, answer, true));
        }
        for (Answer answer : Answer.all()) {
            for (Outcome outcome : Outcome.values()) {
                cells.add(cell(outcome, answer, false));
            }
        }
        run(kit, new Claims(cells, Answer.soonRepeated()), cells);
    }

    @ParameterizedTest
    @MethodSource("dev.couchjobs.server.clients.ClientKit#all")
    void eachStatusEndsTheClaim(ClientKit kit) throws Exception {
        run(
                kit,
                Answer.statuses()
                        .map(answer -> cell(Outcome.VALUE, answer, false))
                        .toList());
    }

    @ParameterizedTest
    @MethodSource("dev.couchjobs.server.clients.ClientKit#all")
    void whatCannotBeWrittenFailsTheJob(ClientKit kit) throws Exception {
        List<Cell> cells = new ArrayList<>();
        for (String kind : List.of("odd-value", "odd-error")) {
            for (int n = 0; n < MOST_ODD; n++) {
                String data = "{\"as\": \"" + kind + "\", \"n\": " + n + "}";
                Cell cell = new Cell(kind + " " + n, "outcome", data, Answer.GOOD, false);
                cell.check = softly -> {
                    if (cell.body != null
                            && cell.body.path("result").asString("").equals("no more")) {
                        return;
                    }
                    cell.assertFailed(softly);
                    softly.assertThat(cell.requests).as(cell.name).hasSize(1);
                };
                cells.add(cell);
            }
        }
        Answer.all().stream()
                .filter(answer -> answer.after() == After.CLOSE_UNREAD)
                .forEach(answer -> cells.add(large(answer)));
        for (String data : List.of("\"as it is\"", "\"error\"")) {
            Cell cell = new Cell("plain " + data, "plain", data, Answer.GOOD, false);
            cell.check = softly -> {
                if (data.contains("error")) {
                    cell.assertFailed(softly);
                    softly.assertThat(cell.error()).as(cell.name).isEqualTo("told");
                } else {
                    softly.assertThat(cell.body).as(cell.name).isNotNull();
                    softly.assertThat(cell.body + "").as(cell.name).contains("as it is");
                }
            };
            cells.add(cell);
        }
        run(kit, cells);
        // At least one of each kind: a client that has none would pass otherwise.
        for (int n : new int[] {0, MOST_ODD}) {
            assertThat(cells.get(n).taken).isNotNull();
            assertThat(Cell.verb(cells.get(n).taken)).isEqualTo("fail");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.couchjobs.server.clients.ClientKit#all")
    void nothingMoreIsSaidOfALostClaim(ClientKit kit) throws Exception {
        List<Cell> cells = new ArrayList<>();
        for (String halt : List.of("lost", "cancelled", "removed", "ended")) {
            Cell running = new Cell("running, " + halt, "wait", "1", Answer.GOOD, false);
            running.check = softly -> {
                softly.assertThat(running.requests).as(running.name).isEmpty();
                softly.assertThat(running.body + "").as(running.name).contains("\"data\":\"" + halt + '"');
            };
            cells.add(running);
            Cell ending = new Cell("ending, " + halt, "outcome", Outcome.VALUE.data, Answer.problem(503), true);
            // The worker may just go on to its next step when it is told.
            ending.check = softly ->
                    softly.assertThat(ending.stepsSinceTold()).as(ending.name).isLessThan(3);
            cells.add(ending);
        }
        cells.forEach(cell -> cell.halt = cell.name.split(" ", 2)[1]);
        run(kit, cells);
    }

    @ParameterizedTest
    @MethodSource("dev.couchjobs.server.clients.ClientKit#all")
    void whatAHandlerLeavesBehindEndsNoProgram(ClientKit kit) throws Exception {
        List<Cell> cells = new ArrayList<>();
        for (int n = 0; n < MOST_ODD; n++) {
            Cell stray = new Cell("stray " + n, "outcome", "{\"as\": \"stray\", \"n\": " + n + "}", Answer.GOOD, false);
            stray.check = softly -> {
                softly.assertThat(stray.taken).as(stray.name).isNotNull();
                // The TypeScript client fails the job, as Node would end the program. In Python asyncio logs the error.
                if (kit.language().equals("TypeScript") && !stray.result().equals("no more")) {
                    stray.assertFailed(softly);
                }
            };
            cells.add(stray);
            Cell listener = new Cell(
                    "listener " + n, "outcome", "{\"as\": \"listener\", \"n\": " + n + "}", Answer.GOOD, false);
            listener.halt = "cancelled";
            listener.check = softly -> {
                if (!listener.result().equals("no more")) {
                    softly.assertThat(listener.requests).as(listener.name).isEmpty();
                }
            };
            cells.add(listener);
        }
        run(kit, cells);
        assertThat(cells.get(0).result()).isNotEqualTo("no more");
        assertThat(cells.get(1).requests).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("dev.couchjobs.server.clients.ClientKit#all")
    void noNumberIsRoundedOnItsWayThroughAHandler(ClientKit kit) throws Exception {
        List<String> numbers = List.of(
                "0.12345678901234567890", "1e400", "-1e-400", "9007199254740993", "12345678901234567890.5", "0.1");
        Cell echo = new Cell("echo", "echo", numbers.toString(), Answer.GOOD, false);
        echo.check = softly -> {
            for (String number : numbers) {
                softly.assertThat(echo.text).containsPattern("[\\[, ]" + Pattern.quote(number) + "[\\], ]");
            }
        };
        String data = "{\"as\" : \"payload-text\", \"n\":[1e400 , 1.0]}";
        Cell text = new Cell("payload-text", "outcome", data, Answer.GOOD, false);
        text.check = softly -> softly.assertThat(
                        text.body == null ? "" : text.body.path("result").asString(""))
                .isEqualTo(data);
        run(kit, List.of(echo, text));
    }

    private static Cell cell(Outcome outcome, Answer answer, boolean always) {
        String name = outcome + " × " + answer + (always ? ", always" : "");
        Cell cell = new Cell(name, "outcome", outcome.data, answer, always);
        cell.check = softly -> check(softly, cell, outcome);
        return cell;
    }

    private static Cell large(Answer answer) {
        Cell cell = new Cell(
                "LARGE × " + answer, "outcome", "{\"as\": \"text\", \"length\": " + LARGE + "}", answer, false);
        cell.check = softly -> check(softly, cell, Outcome.VALUE);
        return cell;
    }

    private static void check(SoftAssertions softly, Cell cell, Outcome outcome) {
        softly.assertThat(cell.requests).as(cell.name).hasSizeBetween(1, MOST_REQUESTS);
        switch (cell.answer.meaning()) {
            case DONE, LOST -> softly.assertThat(cell.requests).as(cell.name).hasSize(1);
            case REFUSED -> {
                if (cell.answer.after() == After.KEEP) {
                    softly.assertThat(cell.requests).as(cell.name).doesNotHaveDuplicates();
                }
            }
            case TEMPORARY ->
                softly.assertThat(cell.requests.size()).as(cell.name).isGreaterThan((int) cell.steps() - 1);
        }
        boolean isRefused = cell.answer.meaning() == Meaning.REFUSED || cell.answer.meaning() == Meaning.TEMPORARY;
        if (isRefused && !cell.always) {
            cell.assertFailed(softly);
            softly.assertThat(cell.error()).as(cell.name).containsPattern(cell.answer.cause());
        }
        if (cell.taken != null && !outcome.isResult()) {
            cell.assertFailed(softly);
            softly.assertThat(cell.error()).as(cell.name).isNotBlank();
            if (outcome == Outcome.ERROR) {
                softly.assertThat(cell.error()).as(cell.name).startsWith("told");
            }
        }
        if (cell.answer.meaning() == Meaning.DONE && outcome.isResult() && cell.taken != null) {
            softly.assertThat(Cell.verb(cell.taken)).as(cell.name).isEqualTo("finish");
        }
    }
}
