package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class ResultsAndRetriesTest {
    @Test
    void aFailureIsTriedAgainAndADeadLetterSentAgain() {
        Printed out = new Printed();
        PrintStream before = System.out;
        System.setOut(out.stream());
        try {
            ResultsAndRetries.main(new String[0]);
        } finally {
            System.setOut(before);
        }

        assertThat(out.lines())
                .containsExactly(
                        "from Ada: 4 words after 2 attempts",
                        "from Bob: java.lang.IllegalArgumentException: this cannot be read",
                        "dead letter: from Bob, 1 failure",
                        "sent again: 1",
                        "from Bob: 2 words");
    }
}
