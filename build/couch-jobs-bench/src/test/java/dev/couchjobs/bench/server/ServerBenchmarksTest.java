package dev.couchjobs.bench.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.bench.CommandLine;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ServerBenchmarksTest {
    private final ServerBenchmarks few = new ServerBenchmarks(ServerSettings.parse(
            "--jobs", "30", "--connections", "2", "--feeds", "3", "--changes", "5", "--waits", "4"));

    @Test
    void jobsAreClaimedAndFinishedOverHttp() throws Exception {
        assertThat(few.claims("in memory", Optional.empty()).markdown())
                .contains("| 2 slots, worker in the process", "| 2, claims of 1 ", "| 2, claims of 10 ");
    }

    @Test
    void eachClientOfAFeedGetsEachChange() throws Exception {
        assertThat(few.feeds().markdown()).containsPattern("\\| 3 +\\| +5 \\|");
    }

    @Test
    void eachCallThatWaitsGetsAJobOrTimesOut() throws Exception {
        assertThat(few.waits().markdown()).contains("| 4 begin to wait", "| each gets a job", "| all time out");
    }

    @Test
    void anUnknownPartIsRefused() {
        assertThatThrownBy(() -> ServerSettings.parse("--only", "nothing"))
                .isInstanceOf(CommandLine.RefusedException.class)
                .hasMessageContaining("--only claims,feeds,waits");
    }
}
