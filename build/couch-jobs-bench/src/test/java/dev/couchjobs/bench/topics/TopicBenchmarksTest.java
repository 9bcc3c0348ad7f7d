package dev.couchjobs.bench.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.bench.CommandLine;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TopicBenchmarksTest {
    @Test
    void eachPartIsMeasuredWithoutRivals(@TempDir Path directory) throws Exception {
        String printed = TopicBenchmarks.run(TopicBenchSettings.parse(
                "--quick",
                "--seconds",
                "0.1",
                "--messages",
                "2000",
                "--catch-up",
                "2000",
                "--systems",
                "topics,topics_relaxed,postgresql",
                "--postgres",
                directory.resolve("none").toString(),
                "--directory",
                directory.toString()));
        assertThat(printed)
                .contains("topics: fdb-embedded, SYNCED", "PostgreSQL: not measured, it is not installed")
                .containsPattern("\\| 64 in flight, of 1, 100 B +\\| +[1-9][0-9,]* \\| +[1-9][0-9,]* \\|")
                .containsPattern("\\| 100 messages a second, p99 +\\| +[0-9.]+ \\|")
                .containsPattern("\\| 16 of a group +\\| +[1-9][0-9,]* \\|")
                .containsPattern("\\| 1 reads 2,000 +\\| +[1-9][0-9,]* \\|");
        try (var left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void anUnknownSystemIsRefused() {
        assertThatThrownBy(() -> TopicBenchSettings.parse("--systems", "kafka"))
                .isInstanceOf(CommandLine.RefusedException.class)
                .hasMessageContaining("--systems topics,postgresql");
    }
}
