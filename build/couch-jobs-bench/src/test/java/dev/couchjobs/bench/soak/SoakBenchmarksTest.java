package dev.couchjobs.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
@Tag("processes")
class SoakBenchmarksTest {
    @Test
    void noJobIsLostOrDoubledWhileProcessesAreKilled(@TempDir Path directory) throws Exception {
        Path output = directory.resolve("soak");

        SoakReport report = SoakBenchmarks.run(
                SoakSettings.parse("--smoke", "--directory", directory.toString(), "--output", output.toString()));

        assertThat(report.totals().added()).isPositive();
        assertThat(report.totals().lost()).isZero();
        assertThat(report.totals().unended()).isZero();
        assertThat(report.totals().doubled()).isZero();
        assertThat(report.events()).extracting(FaultRun.Event::fault).contains(Fault.WORKER, Fault.SERVER, Fault.CLOCK);
        assertThat(output.resolve("soak.md")).content().contains("| lost", "| worker killed", "| rows, rows");
        assertThat(output.resolve("soak.svg")).content().contains("start, p99");
        assertThat(output.resolve("soak.json")).isNotEmptyFile();
    }
}
