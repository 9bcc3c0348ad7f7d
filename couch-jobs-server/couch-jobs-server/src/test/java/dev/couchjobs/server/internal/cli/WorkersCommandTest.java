package dev.couchjobs.server.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.internal.json.Fields;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** What the list of workers says of one that was killed. */
class WorkersCommandTest {
    private static final Instant SEEN = Instant.parse("2027-01-31T08:00:00Z");

    private static ObjectNode after(int seconds) {
        ObjectNode worker =
                new Fields().put("state", "running").put("lastSeen", SEEN).node();
        WorkersCommand.tellAge(worker, SEEN.plusSeconds(seconds));
        return worker;
    }

    @Test
    void aSilentWorkerMayBeLost() {
        assertThat(after(66).path("state").asString()).isEqualTo("running");
        assertThat(after(66).path("seen").asString()).isEqualTo("66s ago");
        assertThat(after(91).path("state").asString()).isEqualTo("lost?");
        assertThat(after(-5).path("seen").asString()).isEqualTo("0s ago");
    }
}
