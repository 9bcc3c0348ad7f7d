package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class EnqueueInYourTransactionTest {
    @Test
    void theOrderAndItsJobAreThereTogetherOrNotAtAll() {
        Printed out = new Printed();
        PrintStream before = System.out;
        System.setOut(out.stream());
        try {
            EnqueueInYourTransaction.main(new String[0]);
        } finally {
            System.setOut(before);
        }

        assertThat(out.lines())
                .containsExactly(
                        "Committed:   order A-17 is stored, its job is PENDING",
                        "Rolled back: order A-18 is not stored, its job is NOT_FOUND");
    }
}
