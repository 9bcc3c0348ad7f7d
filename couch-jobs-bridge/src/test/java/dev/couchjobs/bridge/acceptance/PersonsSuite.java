package dev.couchjobs.bridge.acceptance;

import static dev.couchjobs.bridge.acceptance.NodeFile.GLOBAL;
import static dev.couchjobs.bridge.acceptance.NodeFile.REG_A;
import static dev.couchjobs.bridge.acceptance.NodeFile.REG_B;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.servers.CouchServers;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** People change documents on one node while their steps run on another. */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
abstract class PersonsSuite {
    private CouchServers servers;
    private ThreeNodes nodes;

    abstract JoinFixture join();

    @BeforeAll
    void start(@TempDir Path directory) {
        servers = new CouchServers(3, directory);
        nodes = new ThreeNodes(join(), servers, directory, 2);
        nodes.startAll();
    }

    @AfterAll
    void stop() {
        try {
            nodes.close();
        } finally {
            servers.close();
        }
    }

    /** {@return the processes of the first step of a new document, on reg_b; the second step would create a file} */
    private List<ProcessHandle> begin(String id) {
        LongCommand command = new LongCommand(nodes.directory(REG_B));
        nodes.at(REG_A).put(id, """
                {'creator': 'reg_a', 'job': [{'target': 'reg_b', 'do': '%s'}, {'target': 'reg_b', 'do': 'touch %s'}]}""".formatted(LongCommand.TEXT, id));
        List<ProcessHandle> processes = command.processes();
        // Waits on the changing node, too: CouchDB undoes a deletion that meets an edit from elsewhere.
        List.of(GLOBAL, REG_A).forEach(node -> nodes.at(node).await(id, PersonsSuite::isRunning));
        return processes;
    }

    private static boolean isRunning(ObjectNode document) {
        return document.path("job").path(0).path("step_status").asString("").equals("running");
    }

    private void assertNothingElseWasDone(String id) {
        nodes.at(REG_B).put("after-" + id, "{'creator': 'reg_b', 'job': [{'target': 'reg_b', 'do': 'true'}]}");
        nodes.at(REG_B).awaitEnd("after-" + id);
        assertThat(nodes.directory(REG_B).resolve(id)).doesNotExist();
    }

    @Test
    void aJobThatIsCancelledEndsWithItsProcesses() {
        List<ProcessHandle> processes = begin("cancelled");
        nodes.at(GLOBAL).edit("cancelled", document -> document.put("job_status", "cancelled"));

        LongCommand.awaitEnd(processes);
        NodeFile.ALL.forEach(node -> assertThat(
                        nodes.at(node).awaitEnd("cancelled").path("job_status").asString())
                .isEqualTo("cancelled"));
        assertNothingElseWasDone("cancelled");
        assertThat(nodes.at(REG_A)
                        .read("cancelled")
                        .current()
                        .orElseThrow()
                        .body()
                        .path("job_status")
                        .asString())
                .isEqualTo("cancelled");
    }

    @Test
    void aJobThatIsDeletedEndsWithItsProcesses() {
        List<ProcessHandle> processes = begin("deleted");
        nodes.at(REG_A).delete("deleted");

        LongCommand.awaitEnd(processes);
        assertNothingElseWasDone("deleted");
        NodeFile.ALL.forEach(node -> nodes.at(node)
                .awaitStored("deleted", stored -> stored.leaves().stream().allMatch(Leaf::isDeleted)));
    }

    @Test
    void attachmentsComeAndGoWhileAJobRuns() {
        nodes.at(REG_A).put("attached", """
                {'creator': 'reg_a', 'job': [{'target': 'reg_a', 'do': 'until test -e go-1; do sleep 0.1; done'},
                  {'target': 'reg_a', 'do': 'until test -e go-2; do sleep 0.1; done'}, {'target': 'reg_b', 'do': 'true'}],
                  '_attachments': {'first': {'content_type': 'text/plain', 'data': 'Zmlyc3Q='}}}""");
        nodes.at(REG_A).await("attached", PersonsSuite::isRunning);
        nodes.at(REG_A).attach("attached", "second", "more");
        nodes.touch(REG_A, "go-1");
        nodes.at(REG_A).await("attached", document -> document.path("step").asInt() == 1);
        assertThat(attachments("attached")).containsExactlyInAnyOrder("first", "second");

        nodes.at(REG_A).edit("attached", document -> {
            ((ObjectNode) document.path("_attachments")).remove("first");
            return document;
        });
        nodes.touch(REG_A, "go-2");
        assertThat(nodes.at(REG_A).awaitEnd("attached").path("job_status").asString())
                .isEqualTo("success");
        assertThat(attachments("attached")).containsExactly("second");
    }

    private Collection<String> attachments(String id) {
        return nodes.at(REG_A)
                .read(id)
                .current()
                .orElseThrow()
                .body()
                .path("_attachments")
                .propertyNames();
    }

    @Test
    void aJobThatIsGarbledEndsWithItsProcessesAndSaysWhy() {
        List<ProcessHandle> processes = begin("garbled");
        nodes.at(REG_A).edit("garbled", document -> document.put("job", "oh"));

        LongCommand.awaitEnd(processes);
        ObjectNode document = nodes.at(REG_A).awaitEnd("garbled");
        assertThat(document.path("job_status").asString()).isEqualTo("failed");
        assertThat(document.path("reason").asString()).contains("job");
        assertNothingElseWasDone("garbled");
    }

    @Test
    void aJobWhosePlanIsChangedEndsWithItsProcessesAndSaysWhy() {
        List<ProcessHandle> processes = begin("changed");
        nodes.at(REG_A).edit("changed", document -> {
            ((ObjectNode) document.path("job").path(1)).put("do", "touch changed other");
            return document;
        });

        LongCommand.awaitEnd(processes);
        ObjectNode document = nodes.at(REG_A).awaitEnd("changed");
        assertThat(document.path("job_status").asString()).isEqualTo("failed");
        assertThat(document.path("reason").asString()).contains("job[1]");
        assertNothingElseWasDone("changed");
    }
}
