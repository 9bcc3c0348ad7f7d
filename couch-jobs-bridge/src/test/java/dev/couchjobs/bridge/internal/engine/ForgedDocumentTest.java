package dev.couchjobs.bridge.internal.engine;

import static dev.couchjobs.bridge.internal.engine.TestBridges.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.couch.WriteResult;
import dev.couchjobs.bridge.testing.ModelCouchDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/**
 * Documents with progress that no bridge has written, as edits and as conflicting versions, in each state of a job. On
 * a shared cluster no step begins on their word. Between nodes that only replicate the node that is said to have ended
 * a step objects, so the job does not succeed.
 */
class ForgedDocumentTest {
    private static final int WORKERS = 120;
    private static final List<String> NODES = List.of("a", "b", "c");

    /** What is forged, on a document of which the first step has not ended. */
    private enum Forgery {
        CLAIMED(document -> first(document).put("claimed_by", "b")),
        WON(document -> first(document).put("claimed_by", "b").put("winner", "b")),
        WITHDRAWN(document -> first(document).put("withdrawn", 3)),
        RUNNING(document -> run(document, 0, "running")),
        BEGUN_OFTEN(document -> run(document, 0, "running", "'begun': 200")),
        TRIED_OFTEN(document -> run(document, 0, "running", "'tries': 200")),
        FINISHED(document -> run(document, 0, "finished")),
        FAILED(document -> run(document, 0, "failed")),
        STOPPED(document -> run(document, 0, "failed", "'reason': 'stopped: no'")),
        NEXT_CLAIMED(document -> {
            run(document, 0, "finished");
            ((ObjectNode) document.at("/job/1")).put("claimed_by", "b").put("winner", "b");
        }),
        NEXT_RUNNING(document -> {
            run(document, 0, "finished");
            run(document, 1, "running");
        }),
        SUCCESS(document -> {
            run(document, 0, "finished");
            run(document, 1, "finished");
            document.put("job_status", "success");
        });

        @SuppressWarnings("ImmutableEnumChecker") // lambdas without state
        final Consumer<ObjectNode> change;

        Forgery(Consumer<ObjectNode> change) {
            this.change = change;
        }

        private static ObjectNode first(ObjectNode document) {
            return (ObjectNode) document.at("/job/0");
        }

        private static void run(ObjectNode document, int step, String status, String... more) {
            ObjectNode run = json("{'step_status': '" + status + "', 'executioner': 'Node: b, worker: 7', "
                    + String.join(",", more) + (more.length > 0 ? "," : "")
                    + " 'started_at': '2011-06-15T09:00:07Z'}");
            ObjectNode place = (ObjectNode) document.at("/job/" + step);
            if (place.path("target").asString("").equals("all")) {
                ObjectNode nodes = place.putObject("nodes");
                NODES.forEach(node -> nodes.set(node, run));
                place.put("step_status", status);
            } else {
                place.remove(List.of("exec_time", "start_time"));
                place.setAll(run);
                place.put("claimed_by", "b").put("winner", "b");
            }
        }
    }

    /** How a forged version comes into a database. */
    private enum Way {
        EDIT,
        WINNING_CONFLICT,
        LOSING_CONFLICT
    }

    private record Forged(String id, String target, Forgery forgery, Way way, String place) {
        String document(int seconds) {
            return "{'_id': '" + id + "', 'creator': 'a', 'job': [" + "{'target': " + target + ", 'do': 'sleep "
                    + seconds + " " + id + "'}, {'target': ['b', 'c'], 'do': 'next " + id + "'}]}";
        }

        void put(TestBridges bridges) {
            ObjectNode document = bridges.read(place, id).deepCopy();
            String revision = document.path("_rev").asString();
            forgery.change.accept(document);
            switch (way) {
                case EDIT -> bridges.at(place).write(document);
                case WINNING_CONFLICT ->
                    bridges.at(place).conflict(revision.split("-", 2)[0] + "-" + "f".repeat(32), document);
                case LOSING_CONFLICT ->
                    bridges.at(place).conflict(revision.split("-", 2)[0] + "-" + "0".repeat(32), document);
            }
        }
    }

    private static List<Forged> forgeries(String state) {
        List<Forged> all = new ArrayList<>();
        for (String target : List.of("'b'", "['b']", "'all'")) {
            for (Forgery forgery : Forgery.values()) {
                boolean isEnd = List.of(Forgery.FINISHED, Forgery.FAILED, Forgery.SUCCESS)
                        .contains(forgery);
                for (Way way : isEnd ? List.of(Way.values()) : List.of(Way.EDIT)) {
                    String place = NODES.get(all.size() % NODES.size());
                    all.add(new Forged(state + all.size(), target, forgery, way, place));
                }
            }
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noStepIsLeftOutOnTheWordOfADocument(boolean isShared) {
        try (TestBridges bridges = isShared
                ? TestBridges.shared(WORKERS, NODES.toArray(String[]::new))
                : TestBridges.replicated(Duration.ofMinutes(1), WORKERS, NODES.toArray(String[]::new))) {
            List<Forged> running = forgeries("r");
            List<Forged> waiting = forgeries("w");
            bridges.putAll(
                    "a", running.stream().map(forged -> forged.document(20)).toList());
            bridges.advance(3);
            bridges.putAll(
                    "a", waiting.stream().map(forged -> forged.document(1)).toList());
            bridges.advance(3);
            bridges.simulation.scheduler().execute(() -> running.forEach(forged -> forged.put(bridges)));
            bridges.simulation.scheduler().execute(() -> waiting.forEach(forged -> forged.put(bridges)));
            bridges.advance(10);
            if (isShared) {
                assertThat(bridges.done).noneMatch(done -> done.contains(" next r"));
            }
            bridges.advance(40);

            List<String> wrong = new ArrayList<>();
            Stream.concat(running.stream(), waiting.stream()).forEach(forged -> {
                for (String node : NODES) {
                    ObjectNode document = bridges.read(node, forged.id());
                    long first = done(bridges, " " + forged.id());
                    long next = done(bridges, " next " + forged.id());
                    first -= next;
                    String status = document.path("job_status").asString("");
                    int runs = forged.target().equals("'all'") ? NODES.size() : 1;
                    boolean isRight = status.equals("success")
                            ? first == runs && next == 1
                            : status.equals("failed")
                                    && first <= runs
                                    && next <= (isShared ? 0 : 1)
                                    && !document.path("reason").asString("").isEmpty();
                    if (!isRight) {
                        wrong.add(forged + " at " + node + ": " + first + ", " + next + ", " + document);
                    }
                }
            });
            assertThat(String.join("\n", wrong)).isEmpty();
        }
    }

    /** How a forged document comes into a database before any bridge has seen it. */
    private enum FirstWay {
        FIRST_REVISION,
        LATER_REVISION,
        WINNING_CONFLICT,
        LOSING_CONFLICT
    }

    @Test
    void nothingRunsOnTheWordOfADocumentThatTheClusterHasNeverHad() {
        try (TestBridges bridges = TestBridges.shared(WORKERS, NODES.toArray(String[]::new))) {
            Map<Forged, FirstWay> all = new LinkedHashMap<>();
            for (FirstWay way : FirstWay.values()) {
                forgeries(way.name().toLowerCase(Locale.ROOT)).stream()
                        .filter(forged -> forged.way() == Way.EDIT)
                        .forEach(forged -> all.put(forged, way));
            }
            bridges.simulation
                    .scheduler()
                    .execute(() -> all.forEach((forged, way) -> {
                        ModelCouchDatabase couch = bridges.at(forged.place());
                        ObjectNode plan = json(forged.document(1));
                        ObjectNode document = plan.deepCopy();
                        forged.forgery().change.accept(document);
                        if (way == FirstWay.FIRST_REVISION) {
                            couch.write(document);
                            return;
                        }
                        String revision = ((WriteResult.Accepted) couch.write(plan)).revision();
                        switch (way) {
                            case WINNING_CONFLICT -> couch.conflict("1-" + "f".repeat(32), document);
                            case LOSING_CONFLICT -> couch.conflict("1-" + "0".repeat(32), document);
                            default -> couch.write(document.put("_rev", revision));
                        }
                    }));
            bridges.advance(60);

            List<String> wrong = new ArrayList<>();
            all.forEach((forged, way) -> {
                ObjectNode document = bridges.read(forged.place(), forged.id());
                long next = done(bridges, " next " + forged.id());
                long first = done(bridges, " " + forged.id()) - next;
                String status = document.path("job_status").asString("");
                boolean hasRun = status.equals("success")
                        && first == (forged.target().equals("'all'") ? NODES.size() : 1)
                        && next == 1;
                boolean isRefused = status.equals("failed")
                        && first + next == 0
                        && !document.path("reason").asString("").isEmpty();
                // One that says that it has ended is left alone.
                boolean isLeft = forged.forgery() == Forgery.SUCCESS && first + next == 0;
                if (!hasRun && !isRefused && !isLeft) {
                    wrong.add(way + " " + forged + ": " + first + ", " + next + ", " + document);
                }
                boolean isHarmless =
                        !forged.target().equals("'all'") && forged.forgery().compareTo(Forgery.FINISHED) < 0;
                if (isHarmless && !hasRun) {
                    wrong.add("refused: " + way + " " + forged + ": " + document);
                }
            });
            assertThat(String.join("\n", wrong)).isEmpty();
        }
    }

    private static long done(TestBridges bridges, String end) {
        return bridges.done.stream().filter(done -> done.endsWith(end)).count();
    }
}
