package dev.couchjobs.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MachineTest {

    @Test
    void aMachineIsDescribed() {
        assertThat(Machine.describe(Path.of("")))
                .containsOnlyKeys("CPU", "Memory", "Disk", "System", "Java", "Commit")
                .allSatisfy((name, value) -> assertThat(value).as(name).isNotBlank());
    }

    /** As below a root that is no mount of its own, where Java finds no mount point. */
    @Test
    void aDiskThatTheSystemDoesNotTellIsUnknown() {
        assertThat(Machine.describe(Path.of("missing"))).containsEntry("Disk", "unknown");
    }
}
