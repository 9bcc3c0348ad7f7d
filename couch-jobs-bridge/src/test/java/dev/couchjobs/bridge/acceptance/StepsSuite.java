package dev.couchjobs.bridge.acceptance;

import static dev.couchjobs.bridge.acceptance.NodeFile.GLOBAL;
import static dev.couchjobs.bridge.acceptance.NodeFile.REG_A;
import static dev.couchjobs.bridge.acceptance.NodeFile.REG_B;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.servers.CouchServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The contents of documents, and the results of jobs, where only the steps themselves fail. */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SAME_THREAD)
abstract class StepsSuite {
    private static final int WORKERS = 2;
    /** Documents in different shards of CouchDB may appear in the feed in either order. */
    private static final int IN_EACH_SHARD = 20;

    private final boolean isReplicated;
    private final BlockingQueue<String> order = new LinkedBlockingQueue<>();
    private final CountDownLatch gate = new CountDownLatch(1);
    private final CyclicBarrier pair = new CyclicBarrier(WORKERS);
    private CouchServers servers;
    private ThreeNodes nodes;

    StepsSuite(boolean isReplicated) {
        this.isReplicated = isReplicated;
    }

    abstract JoinFixture join();

    @BeforeAll
    void start(@TempDir Path directory) {
        servers = new CouchServers(3, directory);
        nodes = new ThreeNodes(join(), servers, directory, WORKERS);
        nodes.handler("note", step -> {
            order.add(step.documentId() + "/" + step.step());
            return Optional.empty();
        });
        nodes.handler("wait", step -> {
            order.add(step.documentId() + "/" + step.step());
            gate.await();
            return Optional.empty();
        });
        nodes.handler("begin together", step -> {
            order.add(step.documentId() + "/" + step.step());
            pair.await();
            return Optional.empty();
        });
        nodes.startAll();
    }

    @AfterAll
    void stop() {
        gate.countDown();
        try {
            nodes.close();
        } finally {
            servers.close();
        }
    }

    private ObjectNode run(String creator, String id, String json) {
        nodes.at(creator).put(id, json);
        return nodes.at(creator).awaitEnd(id);
    }

    private static String said(ObjectNode document, int step) {
        return document.path("job").path(step).path("output").asString("").strip();
    }

    @Test
    void eachKindOfTargetIsRunWhereItSays() {
        ObjectNode document = run(GLOBAL, "targets", """
                {'creator': 'global_node', 'job': [
                  {'target': 'reg_a', 'do': 'echo $COUCHJOBS_NODE'},
                  {'target': ['reg_b', 'reg_a'], 'do': 'echo $COUCHJOBS_NODE'},
                  {'target': 'regional', 'do': 'echo $COUCHJOBS_NODE'},
                  {'target': 'any', 'do': 'echo $COUCHJOBS_NODE'},
                  {'target': 'all', 'do': 'echo $COUCHJOBS_NODE'},
                  {'target': 'global_node', 'do': 'echo $COUCHJOBS_NODE'}]}""");

        assertThat(document.path("job_status").asString()).isEqualTo("success");
        assertThat(said(document, 0)).isEqualTo(REG_A);
        assertThat(said(document, 1)).isIn(REG_A, REG_B);
        assertThat(said(document, 2)).isIn(REG_A, REG_B);
        assertThat(said(document, 3)).isIn(NodeFile.ALL);
        JsonNode onEach = document.path("job").path(4).path("nodes");
        assertThat(onEach.propertyNames()).containsExactlyInAnyOrderElementsOf(NodeFile.ALL);
        NodeFile.ALL.forEach(
                node -> assertThat(onEach.path(node).path("output").asString()).isEqualTo(node + "\n"));
        assertThat(said(document, 5)).isEqualTo(GLOBAL);
    }

    @Test
    void whatBecameOfAJobIsSeenOnEachNode() {
        run(REG_B, "seen", """
                {'creator': 'reg_b', 'job': [{'target': 'global_node', 'do': 'true'}, {'target': 'reg_a', 'do': 'true'}]}""");

        NodeFile.ALL.forEach(node -> assertThat(
                        nodes.at(node).awaitEnd("seen").path("job_status").asString())
                .isEqualTo("success"));
    }

    @Test
    void stepsFollowEachOtherInTheirOrder() {
        ObjectNode document = run(REG_A, "order", """
                {'creator': 'reg_a', 'job': [
                  {'target': 'reg_b', 'kind': 'java', 'do': 'note'},
                  {'target': 'any', 'kind': 'java', 'do': 'note'},
                  {'target': 'global_node', 'kind': 'java', 'do': 'note'},
                  {'target': 'regional', 'kind': 'java', 'do': 'note'}]}""");

        assertThat(order.stream().filter(step -> step.startsWith("order/")))
                .containsExactly("order/0", "order/1", "order/2", "order/3");
        OffsetDateTime last = OffsetDateTime.MIN;
        for (JsonNode step : document.path("job")) {
            OffsetDateTime started =
                    OffsetDateTime.parse(step.path("started_at").asString());
            assertThat(started).isAfterOrEqualTo(last);
            last = OffsetDateTime.parse(step.path("finished_at").asString());
        }
    }

    @Test
    void aStepThatFailsIsTriedAgainAsOftenAsItSays() throws IOException {
        ObjectNode document = run(GLOBAL, "retries", """
                {'creator': 'global_node', 'job': [{'target': 'reg_b', 'do': 'echo $COUCHJOBS_ATTEMPT >>tries; test $COUCHJOBS_ATTEMPT = 3',
                  'retry_strategy': {'max_retries': 5, 'sleep': 0.05, 'sleep_factor': 2, 'sleep_max': 1}}]}""");

        assertThat(document.path("job_status").asString()).isEqualTo("success");
        assertThat(document.path("job").path(0).path("tries").asInt()).isEqualTo(2);
        assertThat(Files.readAllLines(nodes.directory(REG_B).resolve("tries"))).containsExactly("1", "2", "3");
    }

    @Test
    void whatIsToBeDoneInsteadIsDoneWhenAllTriesHaveFailed() throws IOException {
        ObjectNode document = run(GLOBAL, "instead", """
                {'creator': 'global_node', 'job': [{'target': 'reg_a', 'do': 'echo do >>instead; exit 7', 'alt_do': 'echo alt_do >>instead; echo saved',
                  'retry_strategy': {'max_retries': 1}}, {'target': 'any', 'do': 'true'}]}""");

        assertThat(document.path("job_status").asString()).isEqualTo("success");
        assertThat(Files.readAllLines(nodes.directory(REG_A).resolve("instead")))
                .containsExactly("do", "do", "alt_do");
        JsonNode step = document.path("job").path(0);
        assertThat(step.path("step_status").asString()).isEqualTo("finished");
        assertThat(step.path("exit_status").asInt()).isEqualTo(7);
        assertThat(step.path("alt_exit_status").asInt(-1)).isZero();
        assertThat(step.path("output").asString()).isEqualTo("saved\n");
    }

    @Test
    void aStepThatFailsEndsItsJob() {
        ObjectNode document = run(REG_A, "failure", """
                {'creator': 'reg_a', 'job': [
                  {'target': 'reg_b', 'do': 'echo no such user >&2; exit 3'}, {'target': 'any', 'kind': 'java', 'do': 'note'}]}""");

        assertThat(document.path("job_status").asString()).isEqualTo("failed");
        assertThat(document.path("step").asInt(-1)).isZero();
        JsonNode step = document.path("job").path(0);
        assertThat(step.path("step_status").asString()).isEqualTo("failed");
        assertThat(step.path("exit_status").asInt()).isEqualTo(3);
        assertThat(step.path("output").asString()).isEqualTo("no such user\n");
        assertThat(step.path("reason").asString()).contains("3");
        assertThat(order).noneMatch(note -> note.startsWith("failure/"));
    }

    @Test
    void aDocumentThatIsWrongSaysWhatIs() {
        ObjectNode document = run(GLOBAL, "broken", """
                {'creator': 'global_node', 'job': [{'target': 'reg_x', 'do': 'true', 'retry_strategy': {'max_retries': -1}}]}""");

        assertThat(document.path("job_status").asString()).isEqualTo("failed");
        assertThat(document.path("reason").asString())
                .contains("job[0].target")
                .contains("reg_a")
                .contains("job[0].retry_strategy.max_retries");
    }

    @Test
    void aStepThatHasEndedSaysWhenAndHow() {
        ObjectNode document = run(GLOBAL, "ended", """
                {'creator': 'global_node', 'job': [{'target': 'reg_a', 'do': 'echo out; echo err >&2; printf end'}]}""");

        JsonNode step = document.path("job").path(0);
        assertThat(step.path("exit_status").asInt(-1)).isZero();
        assertThat(step.path("output").asString().lines().toList()).containsExactlyInAnyOrder("out", "err", "end");
        assertThat(step.path("executioner").asString()).startsWith("Node: reg_a, worker: ");
        assertThat(step.path("claimed_by").asString()).isEqualTo(REG_A);
        OffsetDateTime started = OffsetDateTime.parse(step.path("started_at").asString());
        OffsetDateTime finished = OffsetDateTime.parse(step.path("finished_at").asString());
        assertThat(finished).isAfterOrEqualTo(started);
        assertThat(step.path("exec_time").asDouble()).isNotNegative();
        assertThat(step.path("start_time").asString()).matches("\\d+:\\d+:\\d+");
    }

    @Test
    void aMoreUrgentJobGoesFirst() throws InterruptedException {
        List<ObjectNode> all = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            nodes.at(REG_B).put("busy-" + i, """
                    {'creator': 'reg_b', 'priority': 100, 'job': [{'target': 'reg_b', 'kind': 'java', 'do': 'wait'}]}""");
            nodes.at(REG_B)
                    .await(
                            "busy-" + i,
                            document -> document.path("job")
                                    .path(0)
                                    .path("step_status")
                                    .asString("")
                                    .equals("running"));
        }
        for (int i = 0; i < 3; i++) {
            all.add(DocumentClient.json("""
                    {'creator': 'reg_b', 'job': [{'target': 'reg_b', 'kind': 'java', 'do': 'begin together'}]}""").put("_id", "idle-" + i));
        }
        all.add(DocumentClient.json("""
                {'creator': 'reg_b', 'priority': 9, 'job': [{'target': 'reg_b', 'kind': 'java', 'do': 'begin together'}]}""").put("_id", "urgent"));
        nodes.at(REG_B).putAll(all);
        for (int i = 0; i < IN_EACH_SHARD; i++) {
            nodes.at(REG_B).put("sentinel-" + i, "{'creator': 'reg_b', 'job': []}");
        }
        for (int i = 0; i < IN_EACH_SHARD; i++) {
            nodes.at(REG_B).awaitEnd("sentinel-" + i);
        }
        gate.countDown();

        all.forEach(document -> nodes.at(REG_B).awaitEnd(document.path("_id").asString()));
        List<String> begun = order.stream()
                .filter(note -> note.startsWith("idle-") || note.startsWith("urgent"))
                .toList();
        assertThat(begun.indexOf("urgent/0")).isLessThan(WORKERS); // all of which begin before the next step of any
    }

    @Test
    void aStepTakesNoMoreRevisionsThanPromised() {
        List<ObjectNode> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            all.add(DocumentClient.json("""
                    {'creator': 'reg_a', 'job': [{'target': 'reg_b', 'do': 'true'}, {'target': 'any', 'do': 'true'},
                      {'target': ['global_node', 'reg_b'], 'do': 'true'}, {'target': 'reg_a', 'do': 'true'}]}""").put("_id", "thrift-" + i));
        }
        nodes.at(REG_A).putAll(all); // in one request: while documents arrive, a node may withdraw more than once
        all.forEach(document -> nodes.at(REG_A).awaitEnd(document.path("_id").asString()));

        // New, two steps with a target, two without.
        int most = isReplicated ? 1 + 2 * 2 + 2 * 4 : 1 + 4 * 2;
        for (int i = 0; i < all.size(); i++) {
            StoredDocument stored = nodes.at(REG_A)
                    .awaitStored("thrift-" + i, document -> document.leaves().size() == 1);
            int letGo = 0; // withdrawn by a node that had claimed ahead and lost the slot: at most one each
            for (JsonNode step : stored.current().orElseThrow().body().path("job")) {
                int withdrawn = step.path("withdrawn").asInt(0);
                assertThat(withdrawn).as("withdrawn, %s", stored).isLessThanOrEqualTo(1);
                letGo += withdrawn;
            }
            assertThat(nodes.at(REG_A).generation(stored.id())).as("%s", stored).isLessThanOrEqualTo(most + letGo);
        }
    }

    @Test
    void theExampleOfTheDocsCreatesAUser() throws IOException {
        JsonNode document = JsonMapper.shared().readTree(Files.readString(Path.of("src/main/dist/create-user.json")));
        String id = document.path("_id").asString();
        nodes.at(GLOBAL).putAll(List.of((ObjectNode) document));
        ObjectNode ended = nodes.at(GLOBAL).awaitEnd(id);

        assertThat(ended.path("job_status").asString()).as("%s", ended).isEqualTo("success");
        assertThat(nodes.directory(REG_A).resolve("users/jo")).hasContent("name=Jo\nregion=reg_a\n");
        assertThat(said(ended, 2)).isEqualTo("jo is a user on reg_a");
        List<String> where = List.of(GLOBAL, REG_A, GLOBAL);
        for (int step = 0; step < where.size(); step++) {
            assertThat(ended.path("job").path(step).path("executioner").asString())
                    .startsWith("Node: " + where.get(step) + ",");
        }
    }
}
