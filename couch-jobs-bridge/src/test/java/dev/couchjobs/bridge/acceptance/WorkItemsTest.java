package dev.couchjobs.bridge.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.Bridge;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.servers.CouchServers;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** darticle's queue: three bridges, one of them in a process of its own, that share only a database of documents. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class WorkItemsTest {
    private static final int ITEMS = 100;
    private static final String KINDS = """
            [work_items.email]
            kind = 'java'
            do = 'note'
            concurrency = 2
            [work_items.bill]
            kind = 'java'
            do = 'refuse'
            [work_items.slow]
            kind = 'java'
            do = 'stumble'
            sleep = '1s'
            [work_items.letter]
            do = 'cat >>letters'
            """;

    private static final String LETTER = "{'_id': 'letter', 'type': 'WorkItem', 'worker': 'letter', 'to': 'Jürgen'}";

    @TempDir
    private Path directory;

    @Test
    void eachItemIsDoneByOneOfThreeBridges() throws IOException {
        try (CouchServers servers = new CouchServers(1, directory)) {
            URI database = servers.newDatabase(0);
            List<Path> files = NodeFile.ALL.stream()
                    .map(node -> new NodeFile(node, new JoinFixture.ByReplication(), database)
                            .with(KINDS)
                            .write(directory.resolve(node)))
                    .toList();
            try (DocumentClient client = new DocumentClient(database);
                    BridgeProcess first = BridgeProcess.start(NotingMain.class, files.get(0));
                    Bridge second = NotingMain.start(files.get(1));
                    Bridge third = NotingMain.start(files.get(2))) {
                second.ready().join();
                third.ready().join();
                client.putAll(items());
                client.putAll(List.of(DocumentClient.json(LETTER)));
                for (int i = 0; i < ITEMS; i++) {
                    if (isRefused(i)) {
                        assertThat(client.await(
                                                id(i),
                                                item -> !item.path("status")
                                                        .asString("")
                                                        .isEmpty())
                                        .path("status")
                                        .asString())
                                .isEqualTo("fail");
                    } else {
                        client.awaitStored(
                                id(i), stored -> stored.leaves().stream().allMatch(Leaf::isDeleted));
                    }
                }
                client.awaitStored("letter", stored -> stored.leaves().stream().allMatch(Leaf::isDeleted));
                assertThat(first.isAlive()).isTrue();
            }
            assertEachWasDoneOnce(files);
            assertThat(letters(files))
                    .singleElement()
                    .satisfies(
                            letter -> assertThat(letter.path("to").asString()).isEqualTo("Jürgen"));
        }
    }

    /** {@return the items that commands have read} */
    private static List<ObjectNode> letters(List<Path> files) throws IOException {
        List<ObjectNode> letters = new ArrayList<>();
        for (Path file : files) {
            Path own = file.resolveSibling("letters");
            if (Files.exists(own)) {
                Files.readAllLines(own).forEach(line -> letters.add(DocumentClient.json(line)));
            }
        }
        return letters;
    }

    private static void assertEachWasDoneOnce(List<Path> files) throws IOException {
        List<String> notes = new ArrayList<>();
        for (Path file : files) {
            Path own = file.resolveSibling("notes");
            if (Files.exists(own)) { // a bridge whose process is slow may get none
                notes.addAll(Files.readAllLines(own));
            }
        }
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < ITEMS; i++) {
            expected.add(id(i));
            if (isRetried(i)) {
                expected.add(id(i));
            }
        }
        assertThat(notes).containsExactlyInAnyOrderElementsOf(expected);
    }

    private static List<ObjectNode> items() {
        List<ObjectNode> items = new ArrayList<>();
        long later = Instant.now().getEpochSecond() + 3;
        for (int i = 0; i < ITEMS; i++) {
            String kind = isRefused(i) ? "bill" : isRetried(i) ? "slow" : "email";
            ObjectNode item = DocumentClient.json("{'type': 'WorkItem', 'worker': '%s', 'to': 'jo'}".formatted(kind))
                    .put("_id", id(i));
            items.add(i % 4 == 0 ? item.put("date", later) : item);
        }
        return items;
    }

    private static String id(int item) {
        return "item-" + item;
    }

    private static boolean isRefused(int item) {
        return item % 10 == 9;
    }

    private static boolean isRetried(int item) {
        return item % 10 == 7;
    }
}
