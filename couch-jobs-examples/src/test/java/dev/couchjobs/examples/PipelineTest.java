package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class PipelineTest {
    @Test
    void everyStageComesAfterTheOneBeforeIt() {
        Printed out = new Printed();
        PrintStream before = System.out;
        System.setOut(out.stream());
        try {
            Pipeline.main(new String[0]);
        } finally {
            System.setOut(before);
        }

        assertThat(out.lines())
                .containsExactly(
                        "convert chapter 1", "convert chapter 2", "convert chapter 3", "bind faust", "announce faust");
    }
}
