package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfileBenchmarksTest {
    @Test
    void framesAllocationsAndFlameGraphsAreWritten(@TempDir Path directory) throws IOException, InterruptedException {
        Path output = directory.resolve("profile");
        String text = ProfileBenchmarks.run(ProfileSettings.parse(
                "--seconds", "0.1", "--directory", directory.toString(), "--output", output.toString()));
        assertThat(text)
                .startsWith("couch-jobs in memory, both, workers: 1; 10,000 jobs in ")
                .contains("frames of ours and of FoundationDB")
                .contains("byte[] in dev.couchjobs.");
        assertThat(output.resolve("profile.jfr")).isNotEmptyFile();
        assertThat(output.resolve("cpu.html")).content().contains("dev.couchjobs.");
        assertThat(output.resolve("allocations.html")).content().contains("byte[]");
    }
}
