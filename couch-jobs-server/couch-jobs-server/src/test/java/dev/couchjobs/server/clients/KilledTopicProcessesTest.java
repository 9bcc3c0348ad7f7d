package dev.couchjobs.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Polling;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * The server, producers and consumers of one group are killed at places that a seed draws. Afterwards each message is
 * in the log once, in the order of its producer, and was committed by one consumer.
 */
@Tag("long")
@Timeout(300)
@Tag("processes")
class KilledTopicProcessesTest {
    private static final int MESSAGES = 60;
    private static final boolean IS_LONG = Boolean.getBoolean("long");

    /** One of each kind, and in the profile long further ones. */
    private static final int KILLS = IS_LONG ? 5 : 3;

    private static final int SEEDS = IS_LONG ? 10 : 1;
    private static final List<String> PRODUCERS = List.of("ann", "bob", "cem");
    private static final int TOTAL = MESSAGES * PRODUCERS.size();

    @TempDir
    private Path directory;

    private final Map<String, ClientProcess> producers = new LinkedHashMap<>();
    private final List<ClientProcess> consumers = new ArrayList<>();
    private final List<Page> pages = new ArrayList<>();

    /** Messages that a consumer was given, and what it has heard of its commit. */
    private static final class Page {
        final List<String> values;
        String end = "unknown";

        Page(List<String> values) {
            this.values = values;
        }
    }

    static LongStream seeds() {
        return LongStream.range(0, SEEDS);
    }

    private void startProducer(ServerProcess server, String name) {
        producers.put(name, program(server, List.of(name, Integer.toString(MESSAGES))));
    }

    private static ClientProcess program(ServerProcess server, List<String> args) {
        return ClientProcess.startJava("dev.couchjobs.server.clients.TopicProgram", server.address(), "", args);
    }

    /** {@return the kinds of what is killed, in the order of a seed} */
    private static List<Integer> kinds(Random random) {
        List<Integer> kinds = new ArrayList<>(List.of(0, 1, 2));
        while (kinds.size() < KILLS) {
            kinds.add(random.nextInt(3));
        }
        Collections.shuffle(kinds, random);
        return kinds;
    }

    private void kill(ServerProcess server, int kind, Random random) {
        switch (kind) {
            case 0 -> server.restart();
            case 1 -> {
                String name = PRODUCERS.get(random.nextInt(PRODUCERS.size()));
                producers.get(name).close();
                startProducer(server, name);
            }
            default -> {
                note(consumers.remove(random.nextInt(consumers.size())).kill());
                consumers.add(program(server, List.of()));
            }
        }
    }

    /** Adds the pages that a consumer has printed; the last line of one that was killed may be cut. */
    private void note(String output) {
        Map<String, Page> byCursor = new HashMap<>();
        for (String line :
                output.substring(0, output.lastIndexOf('\n') + 1).lines().toList()) {
            List<String> words = List.of(line.split(" ", -1));
            if (words.get(0).equals("read")) {
                Page page = new Page(words.subList(2, words.size()));
                byCursor.put(words.get(1), page);
                pages.add(page);
            } else if (byCursor.containsKey(words.get(words.size() - 1))) {
                byCursor.get(words.get(1)).end = words.get(0);
            }
        }
    }

    private static int appended(ServerProcess server) {
        return server.get(TopicProgram.TOPIC).get("messages").intValue();
    }

    private static int lag(ServerProcess server) {
        return server.get(TopicProgram.GROUP).get("lag").intValue();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void eachMessageIsThereOnceAndCommittedByOne(long seed) {
        Random random = new Random(seed);
        try (ServerProcess server = new ServerProcess(directory)) {
            server.start();
            server.json("PUT", TopicProgram.TOPIC, "{'partitions': 2}");
            server.json("PUT", TopicProgram.GROUP, "{'from': 'earliest'}");
            PRODUCERS.forEach(name -> startProducer(server, name));
            consumers.add(program(server, List.of()));
            consumers.add(program(server, List.of()));
            for (int kind : kinds(random)) {
                int target = appended(server) + random.nextInt(TOTAL / KILLS);
                while (appended(server) < Math.min(target, TOTAL)) {
                    Polling.pause();
                }
                kill(server, kind, random);
            }
            for (ClientProcess producer : producers.values()) {
                assertThat(producer.awaitExit()).as(producer.output()).isZero();
                assertThat(producer.output().lines().filter(line -> line.startsWith("appended ")))
                        .hasSize(MESSAGES);
            }
            while (lag(server) > 0) {
                Polling.pause();
            }
            consumers.forEach(consumer -> note(consumer.kill()));
            consumers.clear();

            assertThat(appended(server)).as("seed %d", seed).isEqualTo(TOTAL);
            assertThatTheLogHasEachOnceInOrder(server, seed);
            assertThatEachIsCommittedByOne(seed);
        } finally {
            producers.values().forEach(ClientProcess::close);
            consumers.forEach(ClientProcess::close);
        }
    }

    private static List<String> log(ServerProcess server, int partition) {
        List<String> values = new ArrayList<>();
        JsonNode page = server.get(TopicProgram.TOPIC + "/partitions/" + partition + "/messages?limit=1000");
        page.get("items").forEach(message -> values.add(message.get("value").stringValue()));
        return values;
    }

    private static void assertThatTheLogHasEachOnceInOrder(ServerProcess server, long seed) {
        List<String> log = Stream.of(0, 1)
                .flatMap(partition -> log(server, partition).stream())
                .toList();
        for (String producer : PRODUCERS) {
            assertThat(log.stream().filter(value -> value.startsWith(producer)))
                    .as("seed %d", seed)
                    .containsExactlyElementsOf(numbered(producer));
        }
    }

    private static List<String> numbered(String producer) {
        return IntStream.range(0, MESSAGES).mapToObj(i -> producer + "-" + i).toList();
    }

    /** A consumer that was killed may not have heard of its commit: only such pages hold what none has committed. */
    private void assertThatEachIsCommittedByOne(long seed) {
        List<String> committed = values("committed");
        List<String> unknown = values("unknown");
        assertThat(committed).as("seed %d", seed).doesNotHaveDuplicates();
        for (String producer : PRODUCERS) {
            List<String> rest = new ArrayList<>(numbered(producer));
            rest.removeAll(committed);
            assertThat(unknown).as("seed %d", seed).containsAll(rest);
        }
        assertThat(pages).allSatisfy(page -> assertThatItIsInOrder(page.values));
    }

    private List<String> values(String end) {
        return pages.stream()
                .filter(page -> page.end.equals(end))
                .flatMap(page -> page.values.stream())
                .toList();
    }

    private static void assertThatItIsInOrder(List<String> values) {
        for (String producer : PRODUCERS) {
            assertThat(values.stream()
                            .filter(value -> value.startsWith(producer))
                            .map(value -> Integer.valueOf(value.substring(producer.length() + 1))))
                    .isSorted();
        }
    }
}
