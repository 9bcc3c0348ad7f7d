package dev.couchjobs.bridge.internal.engine;

import static dev.couchjobs.bridge.internal.engine.TestBridges.json;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Each edit of each field in each state of a job does what the table of {@code rfc/014-job-documents.md} says. */
class EditedDocumentTest {
    private static final Path PAGE = Path.of("..", "rfc", "014-job-documents.md");
    private static final List<String> STATES = List.of("waits", "runs", "success", "failed", "cancelled");
    private static final int ROUNDS = 8;
    private static final List<String> NODES = List.of("a", "b", "c");

    /** Jobs that are in a state, by the first step that brings them there. The bridge of node c does not run. */
    private static final List<Begun> JOBS = List.of(
            new Begun("waits", "one", step("'c'", "one")),
            new Begun("runs", "one", step("'b'", "sleep 9999")),
            new Begun("runs", "all", step("'all'", "sleep 9999")),
            new Begun("success", "one", step("'b'", "one")),
            new Begun("success", "all", step("'all'", "one")),
            new Begun("failed", "one", step("'b'", "fail")),
            new Begun("failed", "all", step("'all'", "fail")),
            new Begun("failed", "given up", step("'b'", "sleep 9999")),
            new Begun("cancelled", "one", step("'b'", "sleep 9999")),
            new Begun("cancelled", "waiting", step("'c'", "one")));

    private record Begun(String state, String variant, String step) {}

    private static String step(String target, String handler) {
        return "{'target': " + target + ", 'kind': 'java', 'do': '" + handler
                + "', 'alt_kind': 'shell', 'alt_do': 'fail',"
                + " 'timeout': 9999, 'retry_strategy': {'max_retries': 1}}";
    }

    /** A line of the table: what an edit of fields comes to, by state. */
    private record Row(List<String> fields, String edit, Map<String, String> results) {}

    private static List<Row> table() throws IOException {
        List<Row> rows = new ArrayList<>();
        for (String line : section("## Edits")) {
            List<String> cells = cells(line);
            if (cells.size() == 2 + STATES.size() && cells.get(0).startsWith("`")) {
                Map<String, String> results = new LinkedHashMap<>();
                for (int i = 0; i < STATES.size(); i++) {
                    results.put(STATES.get(i), cells.get(2 + i));
                }
                names(cells.get(1)).forEach(edit -> rows.add(new Row(names(cells.get(0)), edit, results)));
            }
        }
        return rows;
    }

    private static List<String> section(String title) throws IOException {
        List<String> lines = Files.readAllLines(PAGE);
        int begin = lines.indexOf(title);
        int end = begin + 1;
        while (!lines.get(end).startsWith("#")) {
            end++;
        }
        return lines.subList(begin, end);
    }

    private static List<String> cells(String line) {
        return line.startsWith("|")
                ? Stream.of(line.substring(1).split("\\|")).map(String::strip).toList()
                : List.of();
    }

    private static List<String> names(String cell) {
        return Stream.of(cell.split(", ")).map(name -> name.replace("`", "")).toList();
    }

    @Test
    void theTableHasEachEditOfEachField() throws IOException {
        Set<String> fields = new LinkedHashSet<>();
        for (String title : List.of("## The document", "### A step")) {
            for (String line : section(title)) {
                List<String> cells = cells(line);
                if (cells.size() == 4 && cells.get(0).startsWith("`")) {
                    names(cells.get(0)).forEach(name -> fields.add(title.startsWith("###") ? "job[0]." + name : name));
                }
            }
        }
        Set<String> expected = new LinkedHashSet<>();
        fields.forEach(field ->
                List.of("removed", "changed", "another type").forEach(edit -> expected.add(field + " " + edit)));
        Set<String> covered = new LinkedHashSet<>();
        for (Row row : table()) {
            row.fields().forEach(field -> covered.add(field + " " + row.edit().replaceFirst(" to .*", "")));
        }
        assertThat(fields).hasSizeGreaterThan(25);
        assertThat(covered).containsAll(expected);
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void aDocumentThatWasToldGetsItsResultsBackWithItsPlan(boolean isShared, boolean keepsEnd) {
        try (TestBridges bridges = isShared
                ? TestBridges.shared(2, "a", "b")
                : TestBridges.replicated(Duration.ofMinutes(1), 2, "a", "b")) {
            bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [" + step("'b'", "one") + "]}");
            bridges.advance(5);
            ObjectNode ended = bridges.read("a", "x").deepCopy();
            ObjectNode edited = ended.deepCopy();
            ((ObjectNode) edited.at("/job/0")).put("do", "other");
            bridges.put("b", edited.toString());
            bridges.advance(5);
            for (String node : List.of("a", "b")) {
                assertThat(bridges.read(node, "x").path("reason").asString()).contains("differ in job[0].do");
                bridges.restart(node);
            }
            bridges.advance(20);
            int revisions = bridges.revisions("a", "x");
            assertThat(revisions)
                    .isEqualTo(Integer.parseInt(ended.path("_rev").asString().split("-", 2)[0]) + 2);

            ObjectNode mended = bridges.read("b", "x").deepCopy();
            ((ObjectNode) mended.at("/job/0")).put("do", "one");
            if (!keepsEnd) {
                mended.remove(List.of("job_status", "reason"));
            }
            bridges.put("b", mended.toString());
            bridges.advance(10);
            for (String node : List.of("a", "b")) {
                assertThat(bridges.read(node, "x").without("_rev")).isEqualTo(ended.without("_rev"));
            }
            assertThat(bridges.revisions("a", "x")).isEqualTo(revisions + 2);
            assertThat(bridges.done).containsExactly("b one");
        }
    }

    /** One edited document. */
    private static final class Edited {
        final String id;
        /** What is put back leaves the document to the next edit. */
        final int round;

        final String field;
        final String edit;
        final String result;
        final Begun begun;
        /** Where the person edits it; the plan at the node that judges. */
        final String place;

        ObjectNode before = json("{}");
        ObjectNode after = json("{}");

        Edited(int number, Begun begun, String field, String edit, String result) {
            boolean isPutBack = result.equals("put back");
            this.id = begun.state() + " " + begun.variant() + (isPutBack ? " " + number / ROUNDS : "." + number);
            this.round = isPutBack ? number % ROUNDS : 0;
            this.begun = begun;
            this.field = field;
            this.edit = edit;
            this.result = result;
            this.place = result.equals("refused") || number % 2 == 0 ? "a" : "b";
        }

        @Override
        public String toString() {
            return id + " " + field + " " + edit;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEditDoesWhatTheTableSays(boolean isShared) throws IOException {
        List<String> wrong = new ArrayList<>();
        try (TestBridges bridges = isShared
                ? TestBridges.shared(2_000, "a", "b", "c")
                : TestBridges.replicated(Duration.ofMinutes(1), 2_000, "a", "b", "c")) {
            List<Edited> all = edits();
            bridges.putAll("a", documents(all, List.of("success", "failed")));
            bridges.advance(20);
            bridges.kill("c");
            bridges.putAll("a", documents(all, List.of("waits", "runs", "cancelled")));
            bridges.advance(5);
            end(bridges, all, "cancelled", begun -> begun.state().equals("cancelled"));
            end(bridges, all, "failed", begun -> begun.variant().equals("given up"));
            bridges.advance(20);

            List<String> done = List.copyOf(bridges.done);
            int edits = 0;
            for (int round = 0; round < ROUNDS; round++) {
                int number = round;
                List<Edited> some = all.stream()
                        .filter(edited -> edited.round == number)
                        .filter(edited -> edit(edited, content(bridges, "a", edited)))
                        .toList();
                edits += some.size();
                edit(bridges, some);
                for (Edited edited : some) {
                    wrong.addAll(check(bridges, edited, isShared));
                }
            }
            assertThat(bridges.done).as("nothing runs because of an edit").isEqualTo(done);
            assertThat(edits).isGreaterThan(500);
        }
        assertThat(String.join("\n", wrong)).isEmpty();
    }

    private static void edit(TestBridges bridges, List<Edited> all) {
        for (String node : List.of("a", "b")) {
            bridges.putAll(
                    node,
                    all.stream()
                            .filter(edited -> edited.place.equals(node))
                            .map(edited -> edited.after
                                    .deepCopy()
                                    .put("_id", edited.id)
                                    .put(
                                            "_rev",
                                            bridges.read(node, edited.id)
                                                    .path("_rev")
                                                    .asString())
                                    .toString())
                            .toList());
        }
        bridges.advance(5);
    }

    private static List<String> check(TestBridges bridges, Edited edited, boolean isShared) {
        List<String> wrong = new ArrayList<>();
        for (String node : NODES) {
            ObjectNode now = content(bridges, node, edited);
            check(edited, now, isShared)
                    .ifPresent(fault -> wrong.add(edited + " at " + node + ": " + fault + "\n    was    "
                            + edited.before + "\n    edited " + edited.after + "\n    is     " + now));
        }
        return wrong;
    }

    private static List<Edited> edits() throws IOException {
        List<Edited> all = new ArrayList<>();
        Map<Begun, Integer> numbers = new LinkedHashMap<>();
        for (Row row : table()) {
            for (Begun begun : JOBS) {
                for (String field : row.fields()) {
                    if (begun.variant().equals("one") || isOfVariants(field)) {
                        String result = Objects.requireNonNull(row.results().get(begun.state()));
                        int number = numbers.merge(begun, 1, Integer::sum);
                        all.add(new Edited(number, begun, field, row.edit(), result));
                    }
                }
            }
        }
        return all;
    }

    /** The fields for which it may matter how the job came into its state. A step for all nodes has one field. */
    private static boolean isOfVariants(String field) {
        return List.of("step", "job_status", "reason", "job[0].do", "job[0].nodes")
                .contains(field);
    }

    private static List<String> documents(List<Edited> all, List<String> states) {
        return all.stream()
                .filter(edited -> states.contains(edited.begun.state()))
                .collect(Collectors.toMap(
                        edited -> edited.id, edited -> edited, (one, other) -> one, LinkedHashMap::new))
                .values()
                .stream()
                .map(edited -> "{'_id': '" + edited.id + "', 'creator': 'a', 'priority': 1, 'job': ["
                        + edited.begun.step() + ", " + step("['a', 'b']", "next") + "]}")
                .toList();
    }

    private static void end(TestBridges bridges, List<Edited> all, String status, Predicate<Begun> isEnd) {
        bridges.putAll(
                "a",
                all.stream()
                        .filter(edited -> isEnd.test(edited.begun))
                        .map(edited -> edited.id)
                        .distinct()
                        .map(id -> bridges.read("a", id)
                                .deepCopy()
                                .put("job_status", status)
                                .put("reason", "m")
                                .toString())
                        .toList());
    }

    private static ObjectNode content(TestBridges bridges, String node, Edited edited) {
        ObjectNode body = bridges.read(node, edited.id).deepCopy();
        body.remove("_rev");
        return body;
    }

    /** Edits the document. {@return whether that changes it} */
    private static boolean edit(Edited edited, ObjectNode before) {
        edited.before = before;
        ObjectNode next = before.deepCopy();
        ObjectNode place = edited.field.startsWith("job[")
                ? (ObjectNode) next.at("/job/" + edited.field.charAt("job[".length()))
                : next;
        String name = edited.field.substring(edited.field.lastIndexOf('.') + 1);
        if (edited.edit.equals("removed")) {
            place.remove(name);
        } else if (edited.edit.equals("another type")) {
            place.set(
                    name,
                    json(place.path(name).isArray() ? "{'v': 5}" : "{'v': [5]}").path("v"));
        } else {
            place.set(name, changed(edited, name, place.path(name)));
        }
        edited.after = next;
        return !next.equals(edited.before);
    }

    private static JsonNode changed(Edited edited, String name, JsonNode before) {
        String to = edited.edit.replaceFirst("changed( to )?", "");
        if (!to.isEmpty()) {
            return json("{'v': '" + (to.equals("a later text") ? "z" : to.equals("an earlier text") ? "A" : to) + "'}")
                    .path("v");
        }
        return json("{'v': "
                        + switch (name) {
                            case "job" -> "[" + step("'c'", "other") + "]";
                            case "nodes" -> "{'a': {'step_status': 'running', 'executioner': 'Node: a, worker: 77'}}";
                            case "retry_strategy" -> "{'max_retries': 7}";
                            case "kind", "alt_kind" -> before.asString("").equals("java") ? "'shell'" : "'java'";
                            case "step_status" -> before.asString("").equals("failed") ? "'finished'" : "'failed'";
                            case "output_cut" -> "true";
                            case "started_at", "finished_at" -> "'2011-06-15T09:00:07+02:00'";
                            case "start_time", "finish_time" -> "'9:0:7'";
                            case "executioner" -> "'Node: b, worker: 77'";
                            case "creator" -> "'b'";
                            case "claimed_by", "winner" -> before.asString("").equals("b") ? "'a'" : "'b'";
                            case "target" -> "'any'";
                            case "do", "alt_do", "output", "reason" -> "'other'";
                            case "step" -> String.valueOf(before.asInt() == 0 ? 1 : before.asInt() - 1);
                            default -> "7";
                        }
                        + "}")
                .path("v");
    }

    /** {@return what is not as the table says} */
    private static Optional<String> check(Edited edited, ObjectNode now, boolean isShared) {
        String[] results = edited.result.split(" / ", 2);
        String result = isShared ? results[0] : results[results.length - 1];
        String name = edited.field.substring(edited.field.lastIndexOf('.') + 1);
        String reason = now.path("reason").asString("");
        boolean isNamed = reason.contains(name) || reason.contains("job[0]") || reason.contains("number of steps");
        boolean isRight = switch (result) {
            case "taken" ->
                at(now, edited.field).equals(at(edited.after, edited.field))
                        && now.path("job_status").equals(edited.after.path("job_status"));
            case "next" -> now.equals(edited.after);
            case "put back" -> filled(now).equals(filled(edited.before));
            case "refused" -> now.path("job_status").asString("").equals("failed") && isNamed;
            case "told" ->
                now.path("job_status").equals(edited.before.path("job_status"))
                        && isNamed
                        && but(now).equals(but(edited.after));
            default -> false;
        };
        return isRight ? Optional.empty() : Optional.of("is not \"" + result + '"');
    }

    private static JsonNode at(ObjectNode document, String field) {
        return document.at("/" + field.replace("[", "/").replace("]", "").replace(".", "/"));
    }

    /** {@return a document without the fields that have no value yet, which a person does not write} */
    private static JsonNode filled(JsonNode value) {
        JsonNode rest = value.deepCopy();
        if (rest instanceof ObjectNode object) {
            object.propertyNames().stream()
                    .filter(name -> object.path(name).isNull()
                            || (name.equals("step") && object.path(name).asInt() == 0))
                    .toList()
                    .forEach(object::remove);
            object.path("job").forEach(step -> filledInPlace((ObjectNode) step));
        }
        return rest;
    }

    private static void filledInPlace(ObjectNode step) {
        step.propertyNames().stream()
                .filter(name -> step.path(name).isNull())
                .toList()
                .forEach(step::remove);
    }

    private static ObjectNode but(ObjectNode document) {
        ObjectNode rest = document.deepCopy();
        rest.remove(List.of("job_status", "reason"));
        return rest;
    }
}
