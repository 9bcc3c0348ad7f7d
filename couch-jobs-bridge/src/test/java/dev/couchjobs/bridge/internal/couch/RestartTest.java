package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.servers.LocalServer;
import dev.couchjobs.bridge.servers.PlainHttp;
import dev.couchjobs.bridge.servers.Wire;
import dev.couchjobs.bridge.testing.TestClient;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Servers stop and start, and networks fail and recover. */
class RestartTest {
    @TempDir
    private Path directory;

    private LocalServer here;
    private LocalServer there;
    private URI jobsHere;
    private URI jobsThere;

    @BeforeEach
    void start() {
        here = LocalServer.onDisk(directory.resolve("here"));
        there = LocalServer.onDisk(directory.resolve("there"));
        jobsHere = here.database("jobs");
        jobsThere = there.database("jobs");
    }

    @AfterEach
    void stop() {
        here.close();
        there.close();
    }

    private static HttpCouchDatabase open(URI address) {
        return new HttpCouchDatabase(settings(address));
    }

    private static CouchSettings settings(URI address) {
        return TestClient.settings(address)
                .withHeartbeat(Duration.ofMillis(500))
                .withPauses(Duration.ofMillis(20), Duration.ofMillis(200));
    }

    private static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(60, TimeUnit.SECONDS).join();
    }

    private static void write(CouchDatabase database, String id) {
        ObjectNode document = JsonNodeFactory.instance.objectNode().put("_id", id);
        assertThat(await(database.write(List.of(document)))).hasOnlyElementsOfType(WriteResult.Accepted.class);
    }

    @Test
    void aServerThatIsKilledAndRestartedIsGoneOnWith() {
        try (HttpCouchDatabase database = open(jobsHere)) {
            await(database.ensureDatabase());
            Recorder recorder = new Recorder();
            database.follow(null, recorder);
            write(database, "before");
            await(recorder.told("before"));

            here.kill();
            var read = database.read(List.of("before"));
            here.restart();
            assertThat(await(read).get(0).current()).isPresent();
            write(database, "after");
            await(recorder.told("after"));
        }
    }

    @Test
    void aServerThatLostAllIsReadFromItsStartByWhoFollowedItAndByWhoKeptAPosition() {
        try (LocalServer forgetful = LocalServer.inMemory()) {
            URI jobs = forgetful.database("jobs");
            try (HttpCouchDatabase following =
                            new HttpCouchDatabase(settings(jobs).withCreation(true));
                    HttpCouchDatabase later = open(jobs)) {
                Recorder recorder = new Recorder();
                following.follow(null, recorder);
                for (String id : List.of("a", "b", "c")) {
                    write(following, id);
                }
                List<Recorder.Call> calls = await(recorder.told("a", "b", "c"));

                forgetful.restart();
                write(following, "first of the new");
                await(recorder.told("first of the new"));
                Recorder restarted = new Recorder();
                later.follow(calls.get(calls.size() - 1).position(), restarted);
                await(restarted.told("first of the new"));
            }
        }
    }

    @Test
    void aDatabaseThatIsDeletedAndMadeAnewIsReadFromItsStart() {
        try (HttpCouchDatabase database =
                new HttpCouchDatabase(settings(jobsHere).withCreation(true))) {
            Recorder recorder = new Recorder();
            database.follow(null, recorder);
            for (String id : List.of("a", "b", "c")) {
                write(database, id);
            }
            await(recorder.told("a", "b", "c"));
            assertThat(PlainHttp.send("DELETE", jobsHere)).isEqualTo(200);
            write(database, "first of the new");
            await(recorder.told("first of the new"));
        }
    }

    @Test
    void aConnectionThatFallsSilentIsReplaced() {
        try (Wire wire = new Wire(here.address());
                HttpCouchDatabase direct = open(jobsHere);
                HttpCouchDatabase database = open(wire.through(jobsHere))) {
            await(direct.ensureDatabase());
            Recorder recorder = new Recorder();
            database.follow(null, recorder);
            write(direct, "before");
            await(recorder.told("before"));

            wire.fallSilent();
            write(direct, "meanwhile");
            wire.join();
            await(recorder.told("meanwhile"));
        }
    }

    @Test
    void aStreamThatIsCutWithinALineGoesOnBehindTheLineBefore() {
        try (Wire wire = new Wire(here.address());
                HttpCouchDatabase direct = open(jobsHere);
                HttpCouchDatabase database = open(wire.through(jobsHere))) {
            await(direct.ensureDatabase());
            Recorder recorder = new Recorder();
            database.follow(null, recorder);
            write(direct, "a");
            await(recorder.told("a"));
            wire.cutAfter(40);
            for (String id : List.of("b", "c", "d")) {
                write(direct, id);
            }
            await(recorder.told("a", "b", "c", "d"));
        }
    }

    @Test
    void twoHalvesReplicateWhenTheyAreJoinedAgainAndKeepBothVersions() {
        try (Wire wire = new Wire(there.address());
                HttpCouchDatabase one = open(jobsHere);
                HttpCouchDatabase other = open(jobsThere);
                Replications replications = new Replications(settings(jobsHere), new LoginThrottles("test"))) {
            await(one.ensureDatabase());
            await(other.ensureDatabase());
            URI overTheWire = wire.through(jobsThere);
            await(replications.ensure(Replication.continuous("pull", overTheWire, jobsHere)));
            await(replications.ensure(Replication.continuous("push", jobsHere, overTheWire)));
            Recorder recorder = new Recorder();
            one.follow(null, recorder);
            write(other, "joined");
            await(recorder.told("joined"));

            wire.cut();
            await(one.write(List.of(version("here"))));
            await(other.write(List.of(version("there"))));
            wire.join();
            await(recorder.when(calls -> calls.stream()
                    .flatMap(call -> call.changes().stream())
                    .anyMatch(change ->
                            change.id().equals("both") && change.revisions().size() == 2)));
        }
    }

    private static ObjectNode version(String text) {
        return JsonNodeFactory.instance.objectNode().put("_id", "both").put("text", text);
    }
}
