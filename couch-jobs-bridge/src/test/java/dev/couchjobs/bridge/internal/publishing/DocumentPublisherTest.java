package dev.couchjobs.bridge.internal.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.engine.TestBridges;
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

/** The publication of documents that CouchDB refuses. */
class DocumentPublisherTest {
    private static TestBridges bridges(boolean isShared) {
        return isShared ? TestBridges.shared(4, "a", "b") : TestBridges.replicated(Duration.ofMinutes(1), 4, "a", "b");
    }

    private static String job(String id, String steps) {
        return "{'_id': '" + id + "', 'creator': 'a', 'job': [" + steps + "]}";
    }

    private static String status(TestBridges bridges, String id) {
        return bridges.read("a", id).path("job_status").asString("");
    }

    /** Lets a server accept new documents only. */
    private static void refuseEdits(TestBridges bridges, String prefix) {
        bridges.at("a")
                .validate(document -> Optional.of("not now")
                        .filter(why -> document.has("_rev")
                                && document.path("_id").asString().startsWith(prefix)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatCouchDbRefusesIsWrittenWhenItRefusesItNoLonger(boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            refuseEdits(bridges, "x");
            bridges.put("a", job("x", "{'target': 'a', 'do': 'good'}"));
            bridges.advance(600);
            assertThat(bridges.done).containsExactly("a good");
            assertThat(status(bridges, "x")).isEmpty();

            bridges.at("a").validate(document -> Optional.empty());
            bridges.advance(3_600);
            assertThat(status(bridges, "x")).isEqualTo("success");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatCouchDbHasRefusedIsWrittenAtTheNextStart(boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            refuseEdits(bridges, "x");
            bridges.put("a", job("x", "{'target': 'a', 'do': 'good'}"));
            bridges.advance(1_800);
            bridges.at("a").validate(document -> Optional.empty());
            bridges.restart("a");
            bridges.advance(20);
            assertThat(status(bridges, "x")).isEqualTo("success");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void documentsThatAreRefusedKeepNoOtherWaiting(boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            AtomicInteger writes = new AtomicInteger();
            bridges.at("a").validate(document -> {
                boolean isRefused =
                        document.has("_rev") && document.path("_id").asString().startsWith("b");
                writes.addAndGet(isRefused ? 1 : 0);
                return isRefused ? Optional.of("not now") : Optional.empty();
            });
            List<String> bad = new ArrayList<>();
            IntStream.range(0, 300).forEach(i -> bad.add(job("bad-" + i, "{'target': 'a', 'do': 'good'}")));
            bridges.putAll("a", bad);
            bridges.advance(300);
            assertThat(writes.get()).isLessThan(300 * 12);

            bridges.put("a", job("z", "{'target': 'a', 'do': 'good'}"));
            bridges.advance(5);
            assertThat(status(bridges, "z")).isEqualTo("success");
        }
    }

    @Test
    void aDocumentThatIsSpoiltFarFromItsCreatorIsLeftAloneUntilTheCreatorHasSeenIt() {
        try (TestBridges bridges = bridges(false)) {
            bridges.put("a", job("spoilt", "{'target': 'b', 'do': 'sleep 10'}, {'target': 'b', 'do': 'never'}"));
            bridges.advance(5);
            bridges.couch.cut(Set.of(bridges.server("a")));
            ObjectNode spoilt = bridges.read("b", "spoilt").deepCopy();
            spoilt.put("job", "oh");
            bridges.put("b", spoilt.toString());
            AtomicInteger writes = new AtomicInteger();
            bridges.at("b").validate(document -> {
                writes.addAndGet(document.path("_id").asString().equals("spoilt") ? 1 : 0);
                return Optional.empty();
            });
            bridges.advance(120);
            assertThat(writes.get()).isLessThanOrEqualTo(1);
            bridges.put("b", "{'_id': 'z', 'creator': 'b', 'job': [{'target': 'b', 'do': 'good'}]}");
            bridges.advance(5);
            assertThat(bridges.read("b", "z").path("job_status").asString()).isEqualTo("success");

            bridges.couch.join();
            bridges.advance(60);
            assertThat(status(bridges, "spoilt")).isEqualTo("failed");
            assertThat(bridges.read("b", "spoilt").path("job_status").asString())
                    .isEqualTo("failed");
        }
    }
}
