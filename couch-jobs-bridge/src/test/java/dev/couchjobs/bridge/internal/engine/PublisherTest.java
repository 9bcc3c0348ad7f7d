package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** What becomes of documents that CouchDB does not take as they are. */
class PublisherTest {
    private static World world(boolean isShared) {
        return isShared ? World.shared(4, "a", "b") : World.replicated(Duration.ofMinutes(1), 4, "a", "b");
    }

    private static String job(String id, String steps) {
        return "{'_id': '" + id + "', 'creator': 'a', 'job': [" + steps + "]}";
    }

    private static String status(World world, String id) {
        return world.read("a", id).path("job_status").asString("");
    }

    /** Has a server take new documents only. */
    private static void refuseEdits(World world, String prefix) {
        world.at("a")
                .validate(document -> Optional.of("not now")
                        .filter(why -> document.has("_rev")
                                && document.path("_id").asString().startsWith(prefix)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatCouchDbRefusesIsWrittenWhenItRefusesItNoLonger(boolean isShared) {
        try (World world = world(isShared)) {
            refuseEdits(world, "x");
            world.put("a", job("x", "{'target': 'a', 'do': 'good'}"));
            world.advance(600);
            assertThat(world.done).containsExactly("a good");
            assertThat(status(world, "x")).isEmpty();

            world.at("a").validate(document -> Optional.empty());
            world.advance(3_600);
            assertThat(status(world, "x")).isEqualTo("success");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatCouchDbHasRefusedIsWrittenAtTheNextStart(boolean isShared) {
        try (World world = world(isShared)) {
            refuseEdits(world, "x");
            world.put("a", job("x", "{'target': 'a', 'do': 'good'}"));
            world.advance(1_800);
            world.at("a").validate(document -> Optional.empty());
            world.restart("a");
            world.advance(20);
            assertThat(status(world, "x")).isEqualTo("success");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void documentsThatAreRefusedKeepNoOtherWaiting(boolean isShared) {
        try (World world = world(isShared)) {
            AtomicInteger writes = new AtomicInteger();
            world.at("a").validate(document -> {
                boolean isRefused =
                        document.has("_rev") && document.path("_id").asString().startsWith("b");
                writes.addAndGet(isRefused ? 1 : 0);
                return isRefused ? Optional.of("not now") : Optional.empty();
            });
            List<String> bad = new ArrayList<>();
            IntStream.range(0, 300).forEach(i -> bad.add(job("bad-" + i, "{'target': 'a', 'do': 'good'}")));
            world.putAll("a", bad);
            world.advance(300);
            assertThat(writes.get()).isLessThan(300 * 12);

            world.put("a", job("z", "{'target': 'a', 'do': 'good'}"));
            world.advance(5);
            assertThat(status(world, "z")).isEqualTo("success");
        }
    }

    @Test
    void aDocumentThatIsSpoiltFarFromItsCreatorIsLeftAloneUntilTheCreatorHasSeenIt() {
        try (World world = world(false)) {
            world.put("a", job("spoilt", "{'target': 'b', 'do': 'sleep 10'}, {'target': 'b', 'do': 'never'}"));
            world.advance(5);
            world.couch.cut(Set.of(world.server("a")));
            ObjectNode spoilt = world.read("b", "spoilt").deepCopy();
            spoilt.put("job", "oh");
            world.put("b", spoilt.toString());
            AtomicInteger writes = new AtomicInteger();
            world.at("b").validate(document -> {
                writes.addAndGet(document.path("_id").asString().equals("spoilt") ? 1 : 0);
                return Optional.empty();
            });
            world.advance(120);
            assertThat(writes.get()).isLessThanOrEqualTo(1);
            world.put("b", "{'_id': 'z', 'creator': 'b', 'job': [{'target': 'b', 'do': 'good'}]}");
            world.advance(5);
            assertThat(world.read("b", "z").path("job_status").asString()).isEqualTo("success");

            world.couch.join();
            world.advance(60);
            assertThat(status(world, "spoilt")).isEqualTo("failed");
            assertThat(world.read("b", "spoilt").path("job_status").asString()).isEqualTo("failed");
        }
    }
}
