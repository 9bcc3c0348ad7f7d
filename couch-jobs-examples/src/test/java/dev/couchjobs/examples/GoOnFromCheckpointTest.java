package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class GoOnFromCheckpointTest {
    @Test
    void theSecondAttemptReadsOnlyWhatTheFirstHadLeft() {
        Printed out = new Printed();
        PrintStream before = System.out;
        System.setOut(out.stream());
        try {
            GoOnFromCheckpoint.main(new String[0]);
        } finally {
            System.setOut(before);
        }

        assertThat(out.lines())
                .containsExactly(
                        "The last attempt read 2 of 4 parts.",
                        "1, by claim 1: CHECKPOINT 1",
                        "2, by claim 1: CHECKPOINT 2",
                        "3, by claim 1: LOG \"the line is dead\"",
                        "4, by claim 2: CHECKPOINT 3",
                        "5, by claim 2: CHECKPOINT 4");
    }
}
