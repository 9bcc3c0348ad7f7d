package dev.couchjobs.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BridgeProgramTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());
    private CountDownLatch ends = new CountDownLatch(1);

    @TempDir
    Path directory;

    @Test
    void checkingSaysWhatWasUnderstoodAndStartsNothing() throws IOException {
        assertThat(run("--check", file("alpha"))).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8)).contains("  node alpha of alpha, joined by replication\n");
        assertThat(events).isEmpty();
    }

    @Test
    void bridgesRunUntilTheyAreStoppedAndEndTogether() throws IOException {
        ends = new CountDownLatch(2);
        assertThat(run(file("alpha"), file("beta"))).isZero();

        assertThat(events.subList(0, 2)).containsExactly("start alpha", "start beta");
        assertThat(events.subList(2, 4)).containsExactlyInAnyOrder("end alpha", "end beta");
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("node alpha has ended\n", "node beta has ended\n");
    }

    @Test
    void aNodeRunsWhenItsDatabaseHasAnsweredAndTheProgramIsReadyWhenAllDo() throws IOException {
        CompletableFuture<Void> answered = new CompletableFuture<>();
        BridgeStarter starter = (config, takesOver, stop) -> new BridgeStarter.Started() {
            @Override
            public CompletableFuture<Void> ready() {
                return config.node().equals("beta") ? answered : CompletableFuture.completedFuture(null);
            }

            @Override
            public void close() {
                if (config.node().equals("beta")) {
                    events.add(out.toString(StandardCharsets.UTF_8));
                    answered.complete(null);
                }
            }
        };
        assertThat(run(starter, file("alpha"), file("beta"))).isZero();

        assertThat(events.get(0).lines())
                .contains("node alpha runs", "node beta waits for http://localhost:5984/jobs")
                .doesNotContain("node beta runs", "ready");
        assertThat(out.toString(StandardCharsets.UTF_8).lines()).containsSubsequence("node beta runs", "ready");
    }

    @Test
    void mistakesOfAllFilesAreToldAndNothingIsStarted() throws IOException {
        Path wrong = Files.writeString(directory.resolve("wrong.toml"), "node = 1");

        assertThat(run(file("alpha"), wrong.toString())).isEqualTo(2);

        assertThat(err.toString(StandardCharsets.UTF_8).lines())
                .hasSize(3)
                .allMatch(line -> line.startsWith(wrong + ": "))
                .contains(wrong + ": node: has to be a text in quotes");
        assertThat(events).isEmpty();
    }

    @Test
    void theProgramHasNoHandlersAndSaysSoWithAllElseThatIsMissing() throws IOException {
        Path file = Files.writeString(directory.resolve("bridge.toml"), """
                node = 'alpha'
                couchdb.url = 'http://localhost:5984/jobs'
                engine.cluster_file = 'fdb.cluster'
                work_items.scrape = { kind = 'java', do = 'scrape' }
                work_items.letter.do = 'cat >>letters'
                """);

        assertThat(run("--check", file.toString())).isEqualTo(2);

        assertThat(err.toString(StandardCharsets.UTF_8).lines())
                .hasSize(3)
                .anyMatch(line -> line.contains("engine.cluster_file: there is no file"))
                .anyMatch(line -> line.contains("work_items.scrape.do: there is no handler 'scrape'"))
                .anyMatch(line -> line.contains("work_items.letter.do: is a command"));
    }

    @Test
    void anUnknownOptionIsAMistake() throws IOException {
        assertThat(run("--chek", file("alpha"))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("--chek: there is no such option; did you mean \"--check\"?", "usage:");
        assertThat(run()).isEqualTo(2);
        assertThat(run("--help")).isZero();
    }

    @Test
    void aQuestionToABridgeThatDoesNotRunIsToldWhereToAsk() throws IOException {
        assertThat(run("--why", "-a document", file("alpha"))).isEqualTo(1);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("node alpha: no bridge answers; ask on the machine of the bridge, and as the user that it"
                        + " runs as\n");
        assertThat(events).isEmpty();
    }

    @Test
    void aQuestionWithoutADocumentOrBesidesOtherOptionsIsAMistake() throws IOException {
        assertThat(run("--why", file("alpha"))).isEqualTo(2);
        assertThat(run("--check", "--why", "x", file("alpha"))).isEqualTo(2);

        assertThat(err.toString(StandardCharsets.UTF_8)).contains("--why DOCUMENT bridge.toml");
        assertThat(events).isEmpty();
    }

    @Test
    void whereOneCannotBeStartedTheOthersEnd() throws IOException {
        assertThat(run(file("alpha"), file("broken"))).isEqualTo(1);

        assertThat(events).containsExactly("start alpha", "end alpha");
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("node broken could not be started", "no luck");
    }

    private int run(String... arguments) {
        BridgeStarter starter = (config, takesOver, stop) -> {
            if (config.node().equals("broken")) {
                throw new IOException("no luck");
            }
            events.add("start " + config.node());
            return () -> {
                ends.countDown();
                ends.await(); // until the others end, too
                events.add("end " + config.node());
            };
        };
        return run(starter, arguments);
    }

    private int run(BridgeStarter starter, String... arguments) {
        return new BridgeProgram(
                        Map.of(),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        starter,
                        CompletableFuture.completedFuture(null))
                .run(List.of(arguments));
    }

    private String file(String node) throws IOException {
        String toml = "node = '" + node + "'\ncouchdb.url = 'http://localhost:5984/jobs'\nengine.directory = 'data'\n";
        return Files.writeString(directory.resolve(node + ".toml"), toml).toString();
    }
}
