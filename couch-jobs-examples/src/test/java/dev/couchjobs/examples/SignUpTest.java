package dev.couchjobs.examples;

import static dev.couchjobs.examples.SignUp.HOW_ARE_YOU;
import static dev.couchjobs.examples.SignUp.WELCOME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.examples.SignUp.Mail;
import dev.couchjobs.testing.JobsTestKit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SignUpTest {
    private final List<String> sent = new ArrayList<>();

    @Test
    void whoeverSignsUpIsGreetedAtOnceAndAskedAfterThreeDays() {
        try (JobsTestKit kit = JobsTestKit.forTypes(WELCOME, HOW_ARE_YOU)) {
            kit.work(worker -> worker.process(WELCOME, job -> SignUp.send(job, sent::add))
                    .process(HOW_ARE_YOU, job -> SignUp.send(job, sent::add)));

            new SignUp(kit.database(), kit.jobs()).signUp("ann", kit.now());

            kit.assertEnqueued(WELCOME, new Mail("ann"));
            kit.runDue();
            assertThat(sent).containsExactly("welcome to ann");
            kit.advance(Duration.ofDays(3));
            assertThat(sent).containsExactly("welcome to ann", "how-are-you to ann");
            kit.assertNothingEnqueued(HOW_ARE_YOU);
        }
    }

    @Test
    void theTestInTheDocumentationIsTheOneAbove() throws IOException {
        String test = Files.readString(
                Path.of("src/test/java/dev/couchjobs/examples/SignUpTest.java"), StandardCharsets.UTF_8);
        String shown = test.substring(test.indexOf("    @Test"), test.indexOf("    @Test", test.indexOf("@Test") + 5))
                .stripTrailing()
                .stripIndent();

        assertThat(Files.readString(Path.of("..", "docs", "testing.md"), StandardCharsets.UTF_8))
                .contains(shown);
    }
}
