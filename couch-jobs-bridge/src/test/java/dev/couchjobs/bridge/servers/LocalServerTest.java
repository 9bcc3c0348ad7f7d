package dev.couchjobs.bridge.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the server of the tests has in common with CouchDB, beyond what the bridge's contract with CouchDB checks. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class LocalServerTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    private Path directory;

    private LocalServer server;

    @BeforeEach
    void start() throws Exception {
        server = LocalServer.onDisk(directory);
        assertThat(send("PUT", "jobs", "").at("/ok").asBoolean()).isTrue();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** {@return the answer to a request with a body in JSON with apostrophes in place of quotation marks} */
    private JsonNode send(String method, String path, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(server.address().resolve(path))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
        return JsonMapper.shared()
                .readTree(CLIENT.send(request, HttpResponse.BodyHandlers.ofString())
                        .body());
    }

    private void replicated(String documents) throws IOException, InterruptedException {
        JsonNode answer = send("POST", "jobs/_bulk_docs", "{'new_edits': false, 'docs': [" + documents + "]}");
        assertThat(answer).isEmpty();
    }

    private static List<String> ids(JsonNode changes) {
        return changes.path("results")
                .valueStream()
                .map(row -> row.path("id").asString())
                .toList();
    }

    @Test
    void theWinnerIsNotDeletedThenHasTheLongerHistoryThenTheGreaterRevision() throws Exception {
        replicated("{'_id': 'x', '_rev': '2-a', '_revisions': {'start': 2, 'ids': ['a', 'root']}}");
        replicated("{'_id': 'x', '_rev': '2-b', '_revisions': {'start': 2, 'ids': ['b', 'root']}}");
        assertThat(send("GET", "jobs/x?conflicts=true", "").toString())
                .isEqualTo("{\"_id\":\"x\",\"_rev\":\"2-b\",\"_conflicts\":[\"2-a\"]}");
        replicated("{'_id': 'x', '_rev': '3-a', '_revisions': {'start': 3, 'ids': ['a', 'a', 'root']}}");
        assertThat(send("GET", "jobs/x", "").path("_rev").asString()).isEqualTo("3-a");
        replicated("{'_id': 'x', '_rev': '4-a', '_deleted': true, '_revisions': {'start': 4, 'ids': ['a', 'a', 'a']}}");
        assertThat(send("GET", "jobs/x?revs=true", "").toString())
                .isEqualTo("{\"_id\":\"x\",\"_rev\":\"2-b\",\"_revisions\":{\"start\":2,\"ids\":[\"b\",\"root\"]}}");
        assertThat(send("POST", "jobs/_revs_diff", "{'x': ['1-root', '2-a', '2-c']}")
                        .at("/x/missing/0")
                        .asString())
                .isEqualTo("2-c");
        assertThat(send("GET", "jobs/x?open_revs=all", "")).hasSize(2);
    }

    @Test
    void equalEditsOfEqualRevisionsHaveEqualRevisions() throws Exception {
        send("PUT", "other", "");
        String first = send("PUT", "jobs/x", "{'a': 1}").path("rev").asString();
        assertThat(send("PUT", "other/x", "{'a': 1}").path("rev").asString()).isEqualTo(first);
        assertThat(send("PUT", "other/y", "{'a': 2}").path("rev").asString()).isNotEqualTo(first);
    }

    @Test
    void changesAreReadInPagesEachDocumentOnceAtItsLastChange() throws Exception {
        String first = send("PUT", "jobs/x", "{}").path("rev").asString();
        send("PUT", "jobs/y", "{}");
        send("PUT", "jobs/z", "{}");
        send("DELETE", "jobs/x?rev=" + first, "");
        JsonNode page = send("GET", "jobs/_changes?limit=1", "");
        assertThat(ids(page)).containsExactly("y");
        JsonNode rest =
                send("GET", "jobs/_changes?since=" + page.path("last_seq").asString(), "");
        assertThat(ids(rest)).containsExactly("z", "x");
        assertThat(rest.at("/results/1/deleted").asBoolean()).isTrue();
        assertThat(send("GET", "jobs/_changes?since=9-x", "").path("error").asString())
                .isEqualTo("bad_request");
    }

    @Test
    void allIsThereAfterAProcessThatWasKilledWithinAWrite() throws Exception {
        send("PUT", "gone", "");
        send("DELETE", "gone", "");
        send("PUT", "jobs/x", "{'text': 'hällo', '_attachments': {'a': {'data': 'YQ=='}}}");
        send("PUT", "jobs/_local/mark", "{'a': 1}");
        JsonNode changes = send("GET", "jobs/_changes?include_docs=true", "");
        server.kill();
        Files.writeString(directory.resolve("journal"), "[\"jobs\",\"docu", StandardOpenOption.APPEND);
        server.restart();
        send("PUT", "jobs/y", "{}");
        server.restart();
        assertThat(send("GET", "jobs/_changes?include_docs=true&limit=1", "").path("results"))
                .isEqualTo(changes.path("results"));
        assertThat(ids(send("GET", "jobs/_changes", ""))).containsExactly("x", "y");
        assertThat(send("GET", "jobs/_local/mark", "").path("a").asInt()).isEqualTo(1);
        assertThat(send("GET", "_all_dbs", "").toString()).isEqualTo("[\"jobs\"]");
    }

    @Test
    void attachmentsAreReplicatedAndStubsKeepThem() throws Exception {
        send("PUT", "other", "");
        String first = send("PUT", "jobs/x", "{'_attachments': {'a': {'data': 'YQ=='}}}")
                .path("rev")
                .asString();
        send("PUT", "jobs/x?rev=" + first, "{'b': 1, '_attachments': {'a': {'stub': true}}}");
        assertThat(send("PUT", "jobs/y", "{'_attachments': {'a': {'stub': true}}}")
                        .path("error")
                        .asString())
                .isEqualTo("missing_stub");
        replicateOnce("");
        assertThat(send("GET", "other/x?attachments=true", "")
                        .at("/_attachments/a/data")
                        .asString())
                .isEqualTo("YQ==");
    }

    @Test
    void aReplicationWithASelectorCopiesWhatMatches() throws Exception {
        send("PUT", "other", "");
        send("PUT", "jobs/x", "{'a': {'b': 1}, 'c': ['d']}");
        send("PUT", "jobs/y", "{'a': {'b': 2}, 'c': ['d']}");
        send("PUT", "jobs/z", "{'a': {'b': 2}}");
        replicateOnce(", 'selector': {'a.b': {'$gt': 1}, 'c': {'$elemMatch': {'$in': ['d', 'e']}}}");
        assertThat(ids(send("GET", "other/_changes", ""))).containsExactly("y");
    }

    private void replicateOnce(String more) throws IOException, InterruptedException {
        URI address = server.address();
        send("PUT", "_replicator", "");
        send(
                "PUT",
                "_replicator/once",
                "{'source': '" + address + "jobs', 'target': {'url': '" + address + "other'}" + more + "}");
        String state;
        do {
            state = send("GET", "_replicator/once", "")
                    .path("_replication_state")
                    .asString("");
        } while (!state.equals("completed"));
    }
}
