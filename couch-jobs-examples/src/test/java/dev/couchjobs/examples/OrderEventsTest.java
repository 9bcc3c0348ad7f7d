package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class OrderEventsTest {
    @Test
    void oneCommitWritesTheRowPublishesTheEventAndAddsTheJob() throws InterruptedException {
        Printed out = new Printed();
        PrintStream before = System.out;
        System.setOut(out.stream());
        try {
            OrderEvents.main(new String[0]);
        } finally {
            System.setOut(before);
        }

        assertThat(out.lines())
                .containsExactly(
                        "consumer has read the orders",
                        "Ada has ordered for 12500 cents",
                        "Bob has ordered for 9900 cents",
                        "Pending jobs: 3",
                        "Left to read: 0");
    }
}
